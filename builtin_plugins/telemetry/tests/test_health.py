"""How the server is now: `GET /api/admin/health`, statements that took long, and `guildhall top`."""

import asyncio

import pytest

from builtin_plugins.telemetry.commands import lines_of
from builtin_plugins.telemetry.health import PASS_HEADER, PASS_MS, ServerHealth, machine_pass
from guildhall_sdk import NewJob
from guildhall_sdk.data import Statement
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.jobs import Jobs

PATH = "/api/admin/health"
MACHINE = f"{PATH}/machine"
SLEEP = {
    "sqlite": "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)"
    " SELECT MAX(i) FROM n",
    "postgresql": "SELECT pg_sleep(0.05)",
}
TAKES_LONG = Statement("takes_long", SLEEP["sqlite"], SLEEP["postgresql"])


async def test_an_operator_sees_how_the_server_is(hall):
    await hall.server.service(ServerHealth).sample()
    await hall.acme.member.call("GET", "/api/whoami")
    await hall.server.service(ServerHealth).sample()
    found = (await hall.operator.get(PATH)).json()
    assert found["ready"] and found["version"] == hall.server.settings.version and found["processes"] >= 1
    assert found["totals"]["requests"] >= 1 and found["totals"]["failed"] == 0
    assert found["database"]["engine"] == hall.database and found["memory_bytes"] > 10_000_000
    assert found["history"][-1]["requests_per_second"] > 0 and found["history"][-1]["p95_ms"] > 0


@pytest.mark.parametrize("who", ["admin", "owner"])
async def test_nobody_else_sees_it(hall, who):
    client = hall.acme.admin if who == "admin" else hall.acme.org_owner
    assert (await client.get(PATH)).status_code == 403
    assert (await hall.anonymous.get(PATH)).status_code == 401


async def test_busy_companies_are_named_with_their_jobs(hall):
    for who, many in ((hall.acme, 3), (hall.globex, 1)):
        later = NewJob(
            kind="schedules.start",
            org_id=who.org_id,
            team_id=who.team_id,
            user_id=who.admin.user_id,
            payload={},
            run_at=hall.clock.now_ms() + 3_600_000,
        )
        async with hall.server.data.write() as writer:
            for _ in range(many):
                await hall.server.service(Jobs).enqueue(writer, later)
    found = (await hall.operator.get(PATH)).json()
    assert [(one["id"], one["waiting"], one["running"]) for one in found["companies"]] == [
        (hall.acme.org_id, 3, 0),
        (hall.globex.org_id, 1, 0),
    ]
    assert found["jobs"]["waiting"] == 4


async def test_a_slow_statement_is_logged_with_its_plugin_and_not_its_binds(open_hall, caplog):
    from builtin_plugins.notes.service import sql

    async with open_hall(SERVICE_LOG_SLOW_MS="1") as hall:
        slow = hall.server.data.slow
        slow.seconds = 1e-9
        await hall.acme.member.call("POST", "/api/notes", {"title": "Secret word", "body": "hush"})
        slow.seconds = 60
        of_notes = [one for one in slow.last() if one.plugin == "notes"]
        assert of_notes and {one.name for one in of_notes} <= {one.name for one in sql}
        lines = [one for one in caplog.records if one.message == "statement.slow"]
        assert {one.fields["plugin"] for one in lines} >= {"notes", "kernel"}
        assert "hush" not in caplog.text
        found = (await hall.operator.get(PATH)).json()
        assert {one["plugin"] for one in found["slow_statements"]} >= {"notes"}
        counted = {
            sample["labels"]["plugin"]: sample["value"]
            for family in (await hall.operator.get("/api/metrics")).json()["items"]
            if family["name"] == "guildhall_database_slow_statements_total"
            for sample in family["samples"]
        }
        assert counted["notes"] == len([one for one in lines if one.fields["plugin"] == "notes"])


async def test_only_what_is_slower_than_the_setting_is_logged(open_hall):
    async with open_hall(SERVICE_LOG_SLOW_MS="20") as hall:
        async with hall.server.data.read() as reader:
            await reader.one(TAKES_LONG)
        assert hall.server.data.slow.last()[0][:2] == ("takes_long", "kernel")
    async with open_hall(SERVICE_LOG_SLOW_MS="0") as hall:
        async with hall.server.data.read() as reader:
            await reader.one(TAKES_LONG)
        assert not hall.server.data.slow.last()


async def test_the_machine_looks_by_a_pass_that_its_key_seals(hall):
    vault = hall.server.service(Vault)
    sealed = machine_pass(vault, hall.clock.now_ms())
    answer = await hall.anonymous.get(MACHINE, headers={PASS_HEADER: sealed})
    assert answer.status_code == 200 and answer.json()["ready"]
    hall.clock.advance(seconds=PASS_MS / 1000 + 1)
    for shown in (sealed, "", "nonsense", vault.seal("another.purpose", "99999999999999")):
        refused = await hall.anonymous.get(MACHINE, headers={PASS_HEADER: shown})
        assert refused.status_code == 401, refused.text


async def test_many_who_look_at_once_are_answered_by_one_look(hall, monkeypatch):
    health, looks = hall.server.service(ServerHealth), []
    look = health._look

    async def counted():
        looks.append(1)
        return await look()

    monkeypatch.setattr(health, "_look", counted)
    await asyncio.gather(*(hall.operator.call("GET", PATH) for _ in range(5)))
    assert len(looks) == 1


async def test_the_picture_of_top_fits_its_terminal_and_obeys_no_name(hall):
    found = dict((await hall.operator.get(PATH)).json())
    found["companies"] = [{"id": "org_1", "name": "\x1b[2JEvil\n", "waiting": 3, "running": 1}]
    lines = lines_of(found, None, 60)
    assert all(len(line) <= 60 and line.isprintable() for line in lines)
    assert any("3 waiting" in line and "Evil" in line for line in lines)
    assert any(line.startswith("requests") for line in lines)
