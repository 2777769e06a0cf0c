"""How executors are: push ones probed by one process at a time, pull ones noticed when they call."""

import asyncio
import subprocess
import sys

import pytest

from builtin_plugins.executors import health, push
from builtin_plugins.executors.health import HealthLoop
from guildhall_sdk.services.models import Executors

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


@pytest.fixture
async def plain(desk, make_executors):
    """A desk whose environment names no executor."""
    desk.executors = make_executors(desk.hall, ())
    return desk


@pytest.fixture
def loop_of():
    def loop_of(desk):
        return HealthLoop(desk.data, desk.clock, desk.executors)

    return loop_of


async def health_of(desk, name="gpu"):
    found = await desk.named(desk.acme, name)
    return found.health.status, found.health.detail


async def test_a_push_executor_is_unknown_then_ok_then_down(plain, loop_of, model_server):
    loop = loop_of(plain)
    await plain.create("gpu", "push", url=model_server.url, key="sk-the-key")
    assert await health_of(plain) == ("unknown", None)
    await loop.probe_those_due()
    assert await health_of(plain) == ("ok", None)
    assert (await plain.named(plain.acme, "gpu")).health.checked_at == plain.clock.now_ms()
    line, headers, _ = model_server.requests[0]
    assert (line, headers["authorization"]) == ("GET /v1/models HTTP/1.1", "Bearer sk-the-key")
    model_server.answer(b"", 503)
    plain.clock.advance(seconds=30)
    await loop.probe_those_due()
    assert await health_of(plain) == ("down", "answers 503")


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (404, ("ok", None)),
        (405, ("ok", None)),
        (401, ("down", "refuses the key")),
        (302, ("down", "answers 302")),
        (500, ("down", "answers 500")),
    ],
)
async def test_what_the_endpoint_answers_tells_how_it_is(plain, loop_of, model_server, status, expected):
    model_server.answer(b"", status, Location="http://127.0.0.1/")
    await plain.create("gpu", "push", url=model_server.url)
    await loop_of(plain).probe_those_due()
    assert await health_of(plain) == expected


async def test_an_endpoint_that_is_silent_or_gone_is_down(plain, loop_of, model_server, monkeypatch):
    await plain.create("gpu", "push", url=model_server.url)
    model_server.silent = True
    with monkeypatch.context() as impatient:  # to be told that it is gone may take longer under load
        impatient.setattr(push, "PROBE_SECONDS", 0.05)
        await loop_of(plain).probe_those_due()
    assert await health_of(plain) == ("down", "does not answer in time")
    await model_server.stop()
    plain.clock.advance(seconds=30)
    await loop_of(plain).probe_those_due()
    assert await health_of(plain) == ("down", "cannot be reached")


async def test_a_companys_own_that_turned_inward_is_not_called(plain, loop_of, model_server):
    url = model_server.url.replace("127.0.0.1", "models.example.com")
    await plain.create("gpu", "push", url=url, org_id=plain.acme, by_operator=False)
    plain.names.known["models.example.com"] = ["127.0.0.1"]
    await loop_of(plain).probe_those_due()
    assert await health_of(plain) == ("down", "is not on the public internet")
    assert model_server.requests == []


async def test_one_of_the_environment_is_probed_with_its_key(desk, make_executors, loop_of, model_server):
    row = {"name": "Env", "url": model_server.url, "model": "m", "key": "sk-env"}
    desk.executors = make_executors(desk.hall, [row])
    await loop_of(desk).probe_those_due()
    assert await health_of(desk, "Env") == ("ok", None)
    assert model_server.requests[0][1]["authorization"] == "Bearer sk-env"


@pytest.mark.every_database
async def test_each_is_probed_about_every_half_minute_by_whoever_is_first(plain, loop_of, model_server):
    await plain.create("one", "push", url=model_server.url)
    await plain.create("two", "push", url=model_server.url)
    loops = [loop_of(plain) for _ in range(4)]
    for probed in (2, 4):
        await asyncio.gather(*(loop.probe_those_due() for loop in loops))
        assert len(model_server.requests) == probed
        plain.clock.advance(seconds=20)
        await asyncio.gather(*(loop.probe_those_due() for loop in loops))
        assert len(model_server.requests) == probed
        plain.clock.advance(seconds=10)


@pytest.mark.every_database
async def test_one_whose_key_is_broken_keeps_the_others_from_nothing(plain, loop_of, model_server):
    await plain.create("broken", "push", url=model_server.url, key="sk-the-key")
    await plain.create("gpu", "push", url=model_server.url)
    await plain.rows("UPDATE secrets SET sealed = 'nonsense' RETURNING ref")
    await loop_of(plain).probe_those_due()
    assert await health_of(plain, "broken") == ("down", "cannot be checked")
    assert await health_of(plain) == ("ok", None)


async def test_a_turn_that_nobody_finished_is_taken_again(plain, loop_of, model_server):
    made, _ = await plain.create("gpu", "push", url=model_server.url)
    async with plain.data.write() as writer:
        now = plain.clock.now_ms()
        assert await writer.one(health.sql.take_probe, id=made.id, now=now, until=now + 25_000)
    await loop_of(plain).probe_those_due()
    assert model_server.requests == []
    plain.clock.advance(seconds=25)
    await loop_of(plain).probe_those_due()
    assert len(model_server.requests) == 1


async def test_a_clock_that_is_set_back_stops_no_probe(plain, loop_of, model_server):
    await plain.create("gpu", "push", url=model_server.url)
    await loop_of(plain).probe_those_due()
    plain.clock.jump(hours=-24)
    await loop_of(plain).probe_those_due()
    assert len(model_server.requests) == 2


async def test_a_probe_that_is_long_past_tells_nothing(plain, loop_of, model_server):
    await plain.create("gpu", "push", url=model_server.url)
    await loop_of(plain).probe_those_due()
    plain.clock.advance(seconds=150)
    assert (await health_of(plain))[0] == "ok"
    plain.clock.advance(seconds=1)
    assert await health_of(plain) == ("unknown", "not checked lately")


async def test_a_probe_under_way_does_not_bring_a_retired_one_back(plain, loop_of, model_server):
    made, _ = await plain.create("gpu", "push", url=model_server.url)
    loop = loop_of(plain)
    probe = loop._probe

    async def retired_meanwhile(endpoint, gate):
        found = await probe(endpoint, gate)
        await plain.retire(made.id)
        return found

    loop._probe = retired_meanwhile
    await loop.probe_those_due()
    assert await plain.rows("executor_health") == []


async def test_without_push_executors_nothing_is_written_or_loaded(plain, loop_of):
    await plain.create("gpu", "pull")
    loop, written = loop_of(plain), []
    for _ in range(3):  # the server's upkeep may write meanwhile, once
        before = plain.data.write_scopes
        await loop.probe_those_due()
        written.append(plain.data.write_scopes - before)
    assert min(written) == 0
    assert plain.executors.clients._clients == {}


def test_the_server_starts_without_the_http_client():
    code = "import builtin_plugins.executors, sys; sys.exit(bool({'httpx', 'httpcore'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_a_pull_executor_is_well_for_a_while_after_it_called(plain):
    _, token = await plain.create()
    assert await health_of(plain) == ("unknown", None)
    called = await plain.hall.bearer(token).post("/api/workers/claim", {"kinds": ["ai.turn"]})
    assert called.status_code == 204
    called_at = plain.clock.now_ms()
    plain.clock.advance(seconds=150)
    assert await health_of(plain) == ("ok", None)
    plain.clock.advance(milliseconds=1)
    assert await health_of(plain) == ("down", "no worker has called lately")
    assert (await plain.named(plain.acme, "gpu")).health.checked_at == called_at


async def local_of(client):
    items = (await client.get("/api/executors")).json()["items"]
    return next(item for item in items if item["mode"] == "local")


async def test_the_instances_own_model_has_a_health_of_its_own(open_hall, picky):
    settings = {"SERVICE_MODEL_URL": picky.url, "SERVICE_MODEL_KEY": "sk-the-key", "SERVICE_MODEL_NAME": "m"}
    async with open_hall(**settings) as hall:
        loop = HealthLoop(hall.server.data, hall.clock, hall.server.service(Executors))
        hall.clock.advance(seconds=30)
        await loop.probe_those_due()
        local = await local_of(hall.operator)
        assert (local["health"]["status"], local["url"], local["quirks"]) == ("ok", picky.url, {})
        assert picky.requests[-1][1]["authorization"] == "Bearer sk-the-key"
        assert not {"url", "quirks"} & (await local_of(hall.acme.owner)).keys()
        await picky.stop()
        hall.clock.advance(seconds=30)
        await loop.probe_those_due()
        assert (await local_of(hall.acme.member))["health"]["detail"] == "cannot be reached"
        shown = (await hall.acme.member.get("/api/ai/model")).json()
        assert (shown["health"]["status"], shown["url"], shown["simulated"]) == ("down", None, False)
        await picky.start()


@pytest.mark.hall_databases("sqlite")
async def test_the_simulated_model_is_well_and_says_what_it_is(hall):
    local = await local_of(hall.operator)
    assert (local["model"], local["health"]["status"]) == ("simulated", "ok")
    assert local["health"]["detail"].startswith("simulated")
    assert "url" not in local


@pytest.mark.hall_databases("sqlite")
async def test_a_model_without_a_name_is_not_taken_for_the_simulated_one(open_hall, picky):
    async with open_hall(SERVICE_MODEL_URL=picky.url) as hall:
        answer = (await hall.acme.member.post("/api/ai/chat", {"prompt": "Hello"})).json()
        assert (answer["reply"], answer["simulated"]) == ("Hello there", False)
        assert "model" not in picky.turns[-1]
    async with open_hall(SERVICE_MODEL_NAME="big") as hall:
        answer = (await hall.acme.member.post("/api/ai/chat", {"prompt": "Hello"})).json()
        assert (answer["model"], answer["simulated"]) == ("simulated", True)
