"""`GET /api/metrics`: what is counted, in which words, and that nobody can make it grow."""

import asyncio
import subprocess
import sys

import pytest
from prometheus_client.openmetrics import parser as openmetrics_parser
from prometheus_client.parser import text_string_to_metric_families

from guildhall_sdk import JobKind, Plugin, UserError, hookimpl
from guildhall_sdk.dimensions import Quotas

pytestmark = pytest.mark.any_database

REQUESTS = "guildhall_http_requests_total"
DURATIONS = "guildhall_http_request_duration_seconds"


async def families(hall):
    answer = await hall.operator.get("/api/metrics")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json()["next_cursor"] is None
    return {item["name"]: item for item in answer.json()["items"]}


async def values(hall, name):
    """The samples of a metric: the values of their labels, in the labels' order, to the value."""
    samples = (await families(hall))[name]["samples"]
    return {tuple(sample["labels"][key] for key in sorted(sample["labels"])): sample for sample in samples}


async def value(hall, name, *labels):
    return (await values(hall, name))[labels]["value"]


async def as_text(hall, accept="text/plain"):
    answer = await hall.operator.get("/api/metrics", headers={"Accept": accept})
    assert answer.status_code == 200
    return answer


# What is counted


async def test_requests_are_counted_by_row_method_and_status(hall):
    for path in ("one", "two", "three"):
        await hall.acme.member.get(f"/api/notes/{path}")
    await hall.acme.member.request("HEAD", "/api/notes")
    await hall.acme.member.get("/api/notes")
    await hall.anonymous.get("/api/notes")
    found = {key: sample["value"] for key, sample in (await values(hall, REQUESTS)).items()}
    assert found == {
        ("GET", "/api/notes/:id", "404"): 3,
        ("GET", "/api/notes", "200"): 2,
        ("GET", "/api/notes", "401"): 1,
    }


async def work(job):
    if job.payload.get("fails"):
        raise UserError("It does not work.", code="no")


class Shelf:
    PLUGIN = Plugin("shelf", "Shelf", "1.0", "A shelf.")
    declare_job_kinds = staticmethod(hookimpl(lambda: [JobKind("x.shelf.sort", "Sorts", handler=work)]))


async def test_requests_their_time_and_jobs_are_counted_by_plugin(open_hall):
    async with open_hall(Shelf) as hall:
        member = hall.acme.member
        for path in ("/api/notes", "/api/notes/ghost"):
            await member.get(path)
        await hall.anonymous.get("/api/notes")
        for fails in (False, True):
            job = {"kind": "x.shelf.sort", "payload": {"fails": fails}}
            assert (await member.post("/api/jobs", job)).status_code == 202
        await hall.drain_jobs()
        found = await values(hall, "guildhall_plugin_requests_total")
        assert found["answered", "notes"]["value"] == 1
        assert found["refused", "notes"]["value"] == 2
        assert ("failed", "notes") not in found
        assert await value(hall, "guildhall_plugin_request_seconds_total", "notes") > 0
        jobs = await values(hall, "guildhall_plugin_job_attempts_total")
        own = {outcome: one["value"] for (outcome, plugin), one in jobs.items() if plugin == "shelf"}
        assert own == {"succeeded": 1, "failed": 1}


async def test_durations_are_a_histogram_per_row(hall):
    for _ in range(3):
        await hall.acme.member.get("/api/notes")
    sample = (await values(hall, DURATIONS))["GET", "/api/notes"]
    counts = list(sample["buckets"].values())
    assert list(sample["buckets"])[:2] == ["0.001", "0.0025"]
    assert list(sample["buckets"])[-1] == "+Inf"
    assert counts == sorted(counts)
    assert (counts[-1], sample["value"]) == (3, 3)
    assert 0 < sample["sum"] < 60


async def test_a_caller_who_hangs_up_is_counted_apart(hall):
    head = f"POST /api/notes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {hall.acme.member.token}\r\n"
    await hall.raw((head + "Content-Length: 100\r\n\r\n{").encode(), half_close=True)
    for _ in range(6000):  # the line is cut before the server has noticed
        if await value(hall, "guildhall_http_requests_abandoned_total") == 1:
            break
        await asyncio.sleep(0.01)
    assert await value(hall, "guildhall_http_requests_abandoned_total") == 1
    assert ("POST", "/api/notes", "400") not in await values(hall, REQUESTS)


async def test_refusals_for_their_rate_are_counted_by_budget(open_hall):
    async with open_hall(SERVICE_RATE_LIMIT="60") as hall:
        public = [(await hall.anonymous.get("/health")).status_code for _ in range(4)]
        own = [(await hall.acme.member.get("/api/whoami")).status_code for _ in range(12)]
        refusals = await values(hall, "guildhall_rate_limit_refusals_total")
        assert refusals["address",]["value"] == public.count(429) > 0
        assert refusals["credential",]["value"] == own.count(429) > 0


async def test_quota_refusals_are_counted_by_dimension(hall):
    name = "guildhall_quota_refusals_total"
    assert await value(hall, name, "storage.bytes") == 0
    async with hall.server.data.write() as writer:
        await hall.server.service(Quotas).set_limit(
            writer, "team", hall.acme.team_id, "storage.bytes", "none", 1
        )
    assert (await hall.acme.member.post("/api/notes", {"title": "long"})).status_code == 429
    assert await value(hall, name, "storage.bytes") == 1


@pytest.mark.every_database
async def test_the_database_tells_its_size_and_how_often_it_is_written(hall):
    assert await value(hall, "guildhall_database_size_bytes", hall.database) > 10_000
    assert min([await written_by_a_note(hall) for _ in range(3)]) == 1


async def written_by_a_note(hall):
    """Counts the scopes of a note and of a list; the server's own upkeep may fall among them."""
    name = "guildhall_database_write_scopes_total"
    before = await value(hall, name)
    await hall.acme.member.post("/api/notes", {"title": "x"})
    await hall.acme.member.get("/api/notes")
    return await value(hall, name) - before


async def test_plugins_are_counted_by_their_state(open_hall):
    async with open_hall(SERVICE_PLUGINS_BLOCKED="example-tools") as hall:
        plugins = await values(hall, "guildhall_plugins")
        assert plugins["blocked",]["value"] == 1
        assert plugins["quarantined",]["value"] == 0
        assert plugins["loaded",]["value"] == len(hall.registry.plugins)


async def test_what_the_status_counts_is_measured_too(hall):
    counts = (await hall.operator.get("/api/admin/status")).json()["counts"]
    found = await families(hall)
    for name, count in counts.items():
        assert found[f"guildhall_{name}"]["samples"] == [{"labels": {}, "value": count}]


async def test_the_process_is_measured(hall):
    assert await value(hall, "process_resident_memory_bytes") > 10_000_000
    assert await value(hall, "process_cpu_seconds_total") > 0
    assert await value(hall, "guildhall_build_info", hall.server.settings.version) == 1


# One server, one set


async def test_two_servers_in_one_process_do_not_mix(open_hall):
    async with open_hall() as first, open_hall() as second:
        await first.acme.member.get("/api/notes")
        await first.acme.member.post("/api/notes", {"title": "x"})
        await second.acme.member.get("/api/whoami")
        assert set(await values(first, REQUESTS)) == {
            ("GET", "/api/notes", "200"),
            ("POST", "/api/notes", "201"),
        }
        assert set(await values(second, REQUESTS)) == {("GET", "/api/whoami", "200")}
        assert (await value(first, "guildhall_notes"), await value(second, "guildhall_notes")) == (1, 0)


async def test_no_caller_makes_the_metrics_grow(hall):
    """Paths, ids, methods and names that differ each time are counted in the same few series."""

    async def knock(number):
        canary = f"canary-{number}"
        await hall.acme.member.get(f"/api/notes/{canary}?{canary}={canary}", headers={"X-Request-Id": canary})
        await hall.acme.member.post(f"/api/features/{canary}", {"enabled": True})
        await hall.anonymous.get(f"/api/{canary}/%22%0a{canary}")
        await hall.anonymous.get(f"/api/x/{canary}/{canary}")
        await hall.anonymous.request(f"CANARY{number}", "/api/notes")
        await hall.anonymous.request(f"CANARY{number}", f"/{canary}")
        await hall.anonymous.post("/api/login", {"username": canary, "password": canary * 3})

    await knock(0)
    await as_text(hall)
    before = (await as_text(hall)).text.splitlines()
    for number in range(1, 10):
        await knock(number)
    after = (await as_text(hall)).text
    assert len(after.splitlines()) == len(before)
    assert "canary" not in after.lower()
    assert await value(hall, REQUESTS, "none", "none", "404") == 30
    assert await value(hall, REQUESTS, "none", "none", "405") == 10


# Words for people and for Prometheus


async def test_prometheus_reads_the_text(hall):
    await hall.acme.member.get("/api/notes")
    answer = await as_text(hall)
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    read = {family.name: family for family in text_string_to_metric_families(answer.text)}
    requests = read["guildhall_http_requests"]
    assert (requests.type, requests.samples[0].name) == ("counter", REQUESTS)
    assert requests.samples[0].labels == {"method": "GET", "route": "/api/notes", "status": "200"}
    assert read[DURATIONS].type == "histogram"
    assert read["guildhall_notes"].type == "gauge"


async def test_a_strict_reader_of_openmetrics_takes_it(hall):
    await hall.acme.member.get("/api/notes")
    answer = await as_text(hall, "application/openmetrics-text;version=1.0.0")
    expected = "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert answer.headers["content-type"] == expected
    read = {family.name for family in openmetrics_parser.text_string_to_metric_families(answer.text)}
    shown = {name.removesuffix("_total") for name in await families(hall)}
    assert read == shown


VERSIONS = [
    "application/openmetrics-text;version=abc",
    "application/openmetrics-text;version=99999999999999999999.1",
    "text/plain;version=;escaping=\x7f;q=1",
    "text/plain;version=" + "9" * 5000,
]


async def test_whatever_version_is_asked_for_ours_is_answered(hall):
    for accept in VERSIONS:
        answer = await as_text(hall, accept)
        assert answer.headers["content-type"].partition(";")[0] == accept.partition(";")[0]
        assert "9999" not in answer.headers["content-type"]


async def test_only_an_operator_reads_them(hall):
    for client in (hall.acme.owner, hall.acme.org_owner):
        answer = await client.get("/api/metrics", headers={"Accept": "text/plain"})
        assert (answer.status_code, answer.json()["permission"]) == (403, "instance:manage")


async def test_a_scraper_needs_a_token_for_nothing_else(hall):
    scraper = await hall.with_token(hall.operator, scope=["instance:manage"])
    answer = await scraper.get("/api/metrics", headers={"Accept": "text/plain"})
    assert answer.status_code == 200


def test_a_server_starts_without_the_prometheus_library():
    code = "import kernel.boot, builtin_plugins.admin, sys; sys.exit('prometheus_client' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
