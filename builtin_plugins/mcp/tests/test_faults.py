"""Servers that die, freeze, answer garbage or change, and what is left of a call to them."""

import asyncio
import os
import signal

import pytest

from builtin_plugins.mcp.losses import Pauses
from builtin_plugins.mcp.tests.conftest import TOKEN, Servers
from guildhall_sdk import Problem, TooManyRequests, UserError
from guildhall_sdk.errors import BadGateway, GatewayTimeout

pytestmark = pytest.mark.any_database


async def test_a_server_is_killed_before_during_and_after_a_call(open_hall, plan, file_of, quick):
    plan.write("echo", "die", "wait")
    async with open_hall(SERVICE_MCP=file_of(rough=plan.entry())) as hall:
        servers = Servers(hall)
        await servers.ready("rough")
        first = await servers.call("mcp__rough__echo", text="one")
        assert '"text": "one"' in first

        with pytest.raises(BadGateway, match="ended by signal 9"):
            await servers.call("mcp__rough__die")
        assert '"text": "two"' in await servers.call("mcp__rough__echo", text="two")

        os.kill(plan.starts[-1], signal.SIGKILL)
        await servers.gone("rough")
        assert '"text": "three"' in await servers.call("mcp__rough__echo", text="three")
        assert len(plan.starts) == 3


async def test_a_frozen_server_ends_the_call_at_its_limit_and_is_replaced(open_hall, plan, file_of, quick):
    plan.write("echo", "freeze", "wait")
    entry = plan.entry(timeout=20, toolTimeouts={"freeze": 0.3, "wait": 0.2})
    async with open_hall(SERVICE_MCP=file_of(cold=entry)) as hall:
        servers = Servers(hall)
        await servers.ready("cold")
        with pytest.raises(GatewayTimeout, match=r"within 0\.2 s"):
            await servers.call("mcp__cold__wait", seconds=1)
        assert "called" in await servers.call("mcp__cold__echo")
        assert len(plan.starts) == 1, "one slow call is no reason to begin anew"

        with pytest.raises(GatewayTimeout, match=r"within 0\.3 s"):
            await servers.call("mcp__cold__freeze")
        await servers.gone("cold")
        assert "called" in await servers.call("mcp__cold__echo")
        frozen, running = plan.starts
        assert not _is_running(frozen)
        assert _is_running(running)


@pytest.mark.hall_databases("sqlite")
async def test_a_server_that_freezes_while_nobody_calls_it_is_found_out(
    open_hall, plan, file_of, quick, monkeypatch
):
    monkeypatch.setattr("builtin_plugins.mcp.server.POLL_SECONDS", 0.05)
    async with open_hall(SERVICE_MCP=file_of(cold=plan.entry())) as hall:
        servers = Servers(hall)
        await servers.ready("cold")
        os.kill(plan.starts[-1], signal.SIGSTOP)
        await servers.gone("cold")
        assert "called" in await servers.call("mcp__cold__echo")
        assert len(plan.starts) == 2


async def test_ten_calls_that_fail_together_cause_one_new_session(open_hall, plan, file_of, quick):
    plan.write("echo", "wait")
    async with open_hall(SERVICE_MCP=file_of(rough=plan.entry())) as hall:
        servers = Servers(hall)
        await servers.ready("rough")
        calls = [asyncio.ensure_future(servers.call("mcp__rough__wait", seconds=30)) for _ in range(10)]
        while servers["rough"]._calls.total() < 10:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        os.kill(plan.starts[-1], signal.SIGKILL)
        failures = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(failure) for failure in failures] == [BadGateway] * 10
        await asyncio.gather(*(servers.call("mcp__rough__echo") for _ in range(10)))
        assert servers["rough"].connections == 2
        assert len(plan.starts) == 2


@pytest.mark.hall_databases("sqlite")
async def test_servers_that_are_none_are_said_and_hold_up_nobody(open_hall, plan, file_of, tmp_path, quick):
    reasons = {
        "lines": "answers what is no MCP message",
        "nested": "answers what is no MCP message",
        "endless": "sent a message of more than 4 MiB",
        "closed": "has closed its output",
        "missing": "has ended with code 127: cannot be started: No such file or directory",
        "unreachable": "cannot be reached",
        "silent": "did not answer within 0.3 s",
    }
    entries = {
        "missing": {"command": "no-such-command-here"},
        "unreachable": {"url": "http://127.0.0.1:9/mcp", "headers": {"Authorization": f"Bearer {TOKEN}"}},
        "silent": {"command": "sleep", "args": ["600"], "timeout": 0.3},
        "rough": plan.entry(),
    }
    for how in ("lines", "nested", "endless", "closed"):
        bad = type(plan)(tmp_path / f"{how}.json")
        bad.write("echo", garbage=how)
        entries[how] = bad.entry()
    async with open_hall(SERVICE_MCP=file_of(**entries)) as hall:
        servers = Servers(hall)
        await servers.ready("rough")
        for name, reason in reasons.items():
            await servers.until(name, lambda item, reason=reason: item["detail"] == reason)
            assert (await servers.item(name, hall.acme.member))["detail"] is None
        assert "called" in await servers.call("mcp__rough__echo")


@pytest.mark.hall_databases("sqlite")
async def test_an_answer_that_is_too_large_ends_its_call_and_not_the_session(open_hall, plan, file_of):
    plan.write("huge", "values", "commas", "wait")
    async with open_hall(SERVICE_MCP=file_of(rough=plan.entry())) as hall:
        servers = Servers(hall)
        await servers.ready("rough")
        other = asyncio.ensure_future(servers.call("mcp__rough__wait", seconds=1))
        for tool in ("huge", "values"):
            with pytest.raises(UserError, match=r"more than 4 MiB or 50,000 values") as refusal:
                await servers.call(f"mcp__rough__{tool}")
            assert refusal.value.code == "result_too_large"
        assert len(await servers.call("mcp__rough__commas")) == 400_000, "signs within a text are no values"
        assert await other == "waited"
        assert len(plan.starts) == 1


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize("garbage", ["blank", pytest.param("pings", marks=pytest.mark.long_form)])
async def test_a_server_that_never_stops_talking_holds_up_nobody(open_hall, plan, file_of, garbage):
    plan.write("echo", garbage=garbage)
    async with open_hall(SERVICE_MCP=file_of(rough=plan.entry())) as hall:
        loop = asyncio.get_running_loop()
        while not plan.starts:
            await hall.acme.member.get("/api/mcp")
        tasks, waits = len(asyncio.all_tasks()), []
        for _ in range(100):
            began = loop.time()
            await hall.acme.member.get("/api/whoami")
            waits.append(loop.time() - began)
        assert sorted(waits)[len(waits) // 2] < 2
        assert len(asyncio.all_tasks()) < tasks + 100
        began = loop.time()
    assert loop.time() - began < 60


@pytest.mark.hall_databases("sqlite")
async def test_a_company_whose_calls_wait_leaves_room_for_another(open_hall, plan, file_of, monkeypatch):
    monkeypatch.setattr("builtin_plugins.mcp.server.MAX_CALLS_OF_COMPANY", 2)
    plan.write("echo", "wait")
    async with open_hall(SERVICE_MCP=file_of(rough=plan.entry())) as hall:
        servers = Servers(hall)
        await servers.ready("rough")
        answer = await hall.globex.owner.post("/api/tools/mcp__rough__echo", {"enabled": True})
        assert answer.status_code == 200
        waiting = [asyncio.ensure_future(servers.call("mcp__rough__wait", seconds=1)) for _ in range(2)]
        while servers["rough"]._calls.total() < 2:  # noqa: ASYNC110
            await asyncio.sleep(0)
        with pytest.raises(TooManyRequests):
            await servers.call("mcp__rough__echo")
        assert "called" in await hall.tool("mcp__rough__echo", as_=hall.globex.member)
        assert await asyncio.gather(*waiting) == ["waited"] * 2
        assert "called" in await servers.call("mcp__rough__echo")


@pytest.mark.hall_databases("sqlite")
async def test_a_secret_that_is_written_in_two_pieces_is_hidden_too(open_hall, plan, file_of, quick):
    plan.write("echo", garbage="split secret")
    async with open_hall(SERVICE_MCP=file_of(rough=plan.entry())) as hall:
        item = await Servers(hall).until("rough", lambda item: "x" * 400 in (item["detail"] or ""))
        assert "was wrong" not in item["detail"]


async def test_what_a_tool_says_of_a_failure_is_bounded_marked_and_holds_no_secret(open_hall, plan, file_of):
    telling = {"type": "object", "properties": {TOKEN: {"type": "string", "default": TOKEN}}}
    plan.write("fail", "refuse", "much", "data", {"name": "tell", "description": TOKEN, "schema": telling})
    async with open_hall(SERVICE_MCP=file_of(rough=plan.entry())) as hall:
        hall.watch.add_secret(TOKEN)  # fails this test where a log line holds it
        servers = Servers(hall)
        waiting = await servers.until("rough", lambda item: item["status"] == "needs_approval")
        assert "tell" in {change["original"] for change in waiting["changes"]}
        assert TOKEN not in str(waiting)
        await servers.ready("rough")
        with pytest.raises(UserError, match=r"fail failed; it says: no, and \[redacted\] either"):
            await servers.call("mcp__rough__fail")
        with pytest.raises(UserError, match="its server says: refused by the protocol"):
            await servers.call("mcp__rough__refuse")
        with pytest.raises(UserError, match="more than 1 MiB") as refusal:
            await servers.call("mcp__rough__much")
        assert refusal.value.code == "result_too_large"
        assert await servers.call("mcp__rough__data") == {"found": [1, 2]}
        for secret_reader in (hall.operator, hall.acme.member):
            assert TOKEN not in (await secret_reader.get("/api/mcp")).text
            assert TOKEN not in (await secret_reader.get("/api/tools")).text


@pytest.mark.hall_databases("sqlite")
async def test_arguments_permission_and_the_teams_switch_are_checked_before_the_server_is_asked(
    open_hall, plan, file_of
):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    plan.write({"name": "count", "schema": schema})
    async with open_hall(SERVICE_MCP=file_of(rough=plan.entry())) as hall:
        servers = Servers(hall)
        await servers.ready("rough")
        name = "mcp__rough__count"
        refusals = {}
        for who, client, arguments in (
            ("wrong", hall.acme.member, {"n": "1"}),
            ("viewer", hall.acme.viewer, {"n": 1}),
            ("globex", hall.globex.member, {"n": 1}),
        ):
            with pytest.raises(Problem) as refusal:
                await hall.tool(name, as_=client, **arguments)
            refusals[who] = refusal.value.code
        assert refusals == {
            "wrong": "invalid_request",
            "viewer": "permission_denied",
            "globex": "tool_disabled",
        }
        assert '"n": 1' in await servers.call(name, n=1)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_pauses_between_sessions_grow_to_less_than_a_minute_and_begin_anew_after_a_good_one():
    pauses = Pauses()
    found = [pauses.after(0.0) for _ in range(12)]
    assert 1.0 <= found[0] <= 1.1
    assert 2.0 <= found[1] <= 2.2
    assert 45.0 <= found[-1] <= 49.5
    assert pauses.after(600.0) == 0.0
    assert 1.0 <= pauses.after(0.5) <= 1.1
