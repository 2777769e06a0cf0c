"""Rows that other origins may call, and rows that one address may not call too often."""

import asyncio
from contextlib import asynccontextmanager

import httpx
import pytest

from guildhall_sdk import Auth, Plugin, Reply, Route, hookimpl
from guildhall_sdk.schema import obj, string
from kernel.boot import Server
from kernel.listening import bound_socket, listen
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import given


class Open:
    """A form that pages elsewhere send, and rows that they must not read."""

    PLUGIN = Plugin("open", "Open", "0.1.0", "Tests other origins.")
    limit = 3

    @hookimpl
    def declare_routes(self):
        body = obj({"text": string()}, required=["text"], example={"text": "x"})
        return [
            Route("POST", "/api/form", "act", "Send", Auth.PUBLIC, body=body, cors=True, limit=self.limit),
            Route("GET", "/api/form", "act", "Read", Auth.PUBLIC, cors=True),
            Route("DELETE", "/api/form", "act", "Remove"),
            Route("GET", "/api/mine", "act", "Mine", permission="notes:write", cors=True),
            Route("GET", "/api/broken", "broken", "Broken", Auth.PUBLIC, cors=True),
        ]

    @hookimpl
    def declare_handlers(self):
        async def act(call):
            return Reply({})

        async def broken(call):
            raise RuntimeError("broken on purpose")

        return {"act": act, "broken": broken}


@pytest.mark.hall_databases("sqlite")
async def test_other_origins_read_every_answer_of_a_row_that_says_so_and_of_no_other(open_hall):
    async with open_hall(Open()) as hall:
        origin = {"Origin": "https://elsewhere.example"}

        async def allowed(who, method, path, json=None, **headers):
            answer = await who.request(method, path, json, headers={**origin, **headers})
            assert "access-control-allow-credentials" not in answer.headers
            return answer.status_code, answer.headers.get("access-control-allow-origin")

        anonymous, viewer = hall.anonymous, hall.acme.viewer
        assert await allowed(anonymous, "POST", "/api/form", {"text": "x"}) == (200, "*")
        assert await allowed(anonymous, "POST", "/api/form", {"text": 1}) == (400, "*")
        assert await allowed(anonymous, "HEAD", "/api/form") == (200, "*")
        assert await allowed(anonymous, "GET", "/api/mine") == (401, "*")
        assert await allowed(viewer, "GET", "/api/mine") == (403, "*")
        assert await allowed(anonymous, "GET", "/api/broken") == (500, "*")
        assert await allowed(anonymous, "DELETE", "/api/form") == (401, None)
        assert await allowed(anonymous, "GET", "/api/nothing") == (404, None)
        assert await allowed(viewer, "GET", "/api/whoami") == (200, None)

        preflight = await anonymous.request("OPTIONS", "/api/form", headers=origin)
        assert (preflight.status_code, preflight.content) == (204, b"")
        assert preflight.headers["access-control-allow-origin"] == "*"
        assert preflight.headers["access-control-allow-methods"] == "POST, GET"
        assert "Authorization" in preflight.headers["access-control-allow-headers"]
        assert (await anonymous.request("OPTIONS", "/api/whoami", headers=origin)).status_code == 405
        described = (await anonymous.get("/api/openapi.json")).json()["paths"]["/api/form"]
        assert "options" in described


@asynccontextmanager
async def beside(hall, plugin):
    """Another server on the hall's database."""
    server, stopping = Server(hall.server.settings, clock=hall.clock, extra_plugins=[plugin]), asyncio.Event()
    await server.start()
    listener = bound_socket("127.0.0.1:0")
    listening = asyncio.create_task(listen(server.app, listener, stopping))
    try:
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", trust_env=False
        ) as client:
            yield server, client
    finally:
        stopping.set()
        await listening
        await server.stop()


@pytest.mark.hall_databases("sqlite")
async def test_one_address_may_call_a_limited_row_so_often_and_other_rows_still(open_hall):
    async with open_hall(Open(), SERVICE_RATE_LIMIT="6000", SERVICE_TRUSTED_PROXIES="127.0.0.1") as hall:

        async def send(address):
            headers = {"X-Forwarded-For": address}
            return await hall.anonymous.post("/api/form", {"text": "x"}, headers=headers)

        assert [(await send("192.0.2.1")).status_code for _ in range(4)] == [200, 200, 200, 429]
        refused = await send("192.0.2.1")
        assert refused.json()["code"] == "rate_limited"
        assert 1 <= int(refused.headers["retry-after"]) <= 20
        assert refused.headers["access-control-allow-origin"] == "*"
        assert (await send("192.0.2.2")).status_code == 200
        assert (await hall.anonymous.get("/api/form")).status_code == 200
        hall.clock.advance(seconds=int(refused.headers["retry-after"]))
        assert (await send("192.0.2.1")).status_code == 200
        figures = (await hall.operator.get("/api/metrics", headers={"Accept": "text/plain"})).text
        assert "guildhall_row_limit_refusals_total 2.0" in figures


@pytest.mark.hall_databases("postgresql")
async def test_processes_count_a_limited_row_together(open_hall, eventually):
    plugin = Open()
    async with open_hall(plugin, SERVICE_RATE_LIMIT="6000") as hall, beside(hall, plugin) as (server, other):
        await eventually(lambda: server.rates.listening and hall.server.rates.listening)
        for _ in range(3):
            await hall.anonymous.post("/api/form", {"text": "x"})
        await eventually(lambda: server.rates.limiters["row.POST:/api/form"].wait("127.0.0.1") is not None)
        assert (await other.post("/api/form", json={"text": "x"})).status_code == 429


def test_a_limit_is_for_public_rows():
    class Wrong(Open):
        @hookimpl
        def declare_routes(self):
            return [Route("GET", "/api/mine", "act", "Mine", permission="notes:write", limit=3)]

        @hookimpl
        def declare_handlers(self):
            return {"act": Open().declare_handlers()["act"]}

    admission = Admission([given(Wrong())])
    assert "the limit counts calls by address" in admission.registry.refused[0].reason
