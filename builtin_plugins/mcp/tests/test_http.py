"""Servers by streamable HTTP that forget, refuse and never rest."""

import asyncio

import pytest

from builtin_plugins.mcp.tests.conftest import Servers
from builtin_plugins.mcp.tests.http_server import http_server
from guildhall_sdk import Problem, UserError
from guildhall_sdk.errors import BadGateway

KEY = "canary-of-the-header-5511"


@pytest.mark.hall_databases("sqlite")
async def test_a_forgotten_session_is_made_anew_once_and_the_calls_are_answered(
    open_hall, file_of, quick, monkeypatch
):
    async with http_server() as remote:
        entry = {"url": remote.url, "headers": {"Authorization": f"Bearer {KEY}"}}
        async with open_hall(SERVICE_MCP=file_of(remote=entry)) as hall:
            hall.watch.add_secret(KEY)
            servers = Servers(hall)
            await servers.ready("remote")
            assert await servers.call("mcp__remote__say") == "said"
            assert remote.headers_seen["authorization"] == f"Bearer {KEY}"
            assert KEY not in (await hall.operator.get("/api/mcp")).text

            remote.session = "session-2"
            said = await asyncio.gather(*(servers.call("mcp__remote__say") for _ in range(10)))
            assert said == ["said"] * 10
            assert (remote.initialized, servers["remote"].connections) == (2, 2)

            remote.padding = 5 * 1024 * 1024
            with pytest.raises(Problem) as refusal:
                await servers.call("mcp__remote__say")
            assert refusal.value.status in {400, 502}
            remote.padding = 0
            assert await servers.call("mcp__remote__say") == "said"

            remote.status = 401
            with pytest.raises(Problem):
                await servers.call("mcp__remote__say")
            servers["remote"]._link.result().watch.poll.set()
            down = await servers.until("remote", lambda item: item["detail"] == "answers 401")
            assert down["status"] in {"down", "connecting"}
            monkeypatch.setattr("builtin_plugins.mcp.server.WAIT_SECONDS", 0.1)
            with pytest.raises(BadGateway, match="remote is not available"):
                await servers.call("mcp__remote__say")
            remote.status = 200
            assert (await servers.until("remote", lambda item: item["status"] == "connected"))[
                "detail"
            ] is None


@pytest.mark.hall_databases("sqlite")
async def test_a_call_that_was_taken_is_not_repeated_when_its_session_is_forgotten_meanwhile(
    open_hall, file_of, quick, monkeypatch
):
    monkeypatch.setattr("builtin_plugins.mcp.server.SETTLE_SECONDS", 0.1)
    async with http_server() as remote, open_hall(SERVICE_MCP=file_of(remote={"url": remote.url})) as hall:
        servers = Servers(hall)
        await servers.ready("remote")
        remote.answers.clear()
        call = asyncio.ensure_future(servers.call("mcp__remote__say"))
        while remote.calls == 0:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        remote.session = "session-2"  # the event stream is refused now
        with pytest.raises(BadGateway, match="does not know the session"):
            await call
        remote.answers.set()
        assert await servers.call("mcp__remote__say") == "said"
        assert remote.calls == 2


@pytest.mark.hall_databases("sqlite")
async def test_an_event_stream_that_ends_at_once_causes_no_busy_loop(open_hall, file_of):
    async with http_server() as remote, open_hall(SERVICE_MCP=file_of(remote={"url": remote.url})) as hall:
        servers = Servers(hall)
        await servers.ready("remote")
        while remote.event_streams < 3:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        before = remote.event_streams
        await asyncio.sleep(1)
        assert remote.event_streams - before <= 4
        assert servers["remote"].connections == 1
        assert await servers.call("mcp__remote__say") == "said"


@pytest.mark.hall_databases("sqlite")
async def test_an_answer_that_is_too_large_or_compressed_ends_its_call_and_not_the_session(
    open_hall, file_of
):
    async with http_server() as one, open_hall(SERVICE_MCP=file_of(far={"url": one.url})) as hall:
        servers = Servers(hall)
        await servers.ready("far")
        for one.as_event in (False, True):
            for one.padding, one.values in ((5 * 1024 * 1024, 0), (0, 60_000)):
                with pytest.raises(UserError, match=r"more than 4 MiB or 50,000 values") as refusal:
                    await servers.call("mcp__far__say")
                assert refusal.value.code == "result_too_large"
            one.padding, one.values = 10, 0
            assert await servers.call("mcp__far__say") == "said" + " " * 10
        assert one.headers_seen["accept-encoding"] == "identity"
        one.compressed = True
        with pytest.raises(UserError, match="was refused"):
            await servers.call("mcp__far__say")
        one.compressed, one.broken, one.as_event = False, True, False
        with pytest.raises(BadGateway, match="the call broke off"):
            await servers.call("mcp__far__say")
        assert one.initialized == 1
