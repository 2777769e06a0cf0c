"""Servers that are restarted one after the other, behind the proxy that `docs/operating.md` shows."""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from tests.process.conftest import ready_says, serving
from tests.process.nginx import PROGRAM, nginx
from tests.processes import free_port

PAGE = Path(__file__).parents[2] / "docs/operating.md"
CALLERS = 2

pytestmark = [
    pytest.mark.hall_databases("postgresql"),
    pytest.mark.skipif(PROGRAM is None, reason="there is no nginx here: make setup fetches Debian's"),
]


def shown_configuration() -> str:
    _, _, behind = PAGE.read_text("utf-8").partition("## Stopping and restarting")
    return behind.partition("```nginx\n")[2].partition("```")[0]


class Callers:
    """Ask for streams of chats, read and write through the proxy, again and again; `lost` is what failed."""

    def __init__(self, url, token):
        self._url, self._headers = url, {"Authorization": f"Bearer {token}"}
        self.answered, self.lost, self.over = Counter(), [], asyncio.Event()

    async def get_on(self):
        """Returns when every caller has been answered some more."""
        enough = self.answered["chat"] + 3 * CALLERS
        async with asyncio.timeout(60):
            while self.answered["chat"] < enough:  # noqa: ASYNC110 - other processes
                await asyncio.sleep(0.01)

    async def go_on(self):
        async with httpx.AsyncClient(
            base_url=self._url, headers=self._headers, trust_env=False, timeout=30
        ) as http:
            while not self.over.is_set():
                await self._chat(http)
                await self._ask(http, "GET", "/api/whoami")
                await self._ask(http, "POST", "/api/notes", {"title": "One of many"})

    async def _chat(self, http):
        try:
            answer = await http.post("/api/ai/chat/stream", json={"prompt": "What is a guild?"})
        except httpx.HTTPError as error:
            self.lost.append(("chat", repr(error)))
            return
        whole = answer.status_code == 200 and "event: done" in answer.text
        self._count("chat", answer if not whole else None, answer.text[-300:])

    async def _ask(self, http, method, path, body=None):
        try:
            answer = await http.request(method, path, json=body)
        except httpx.HTTPError as error:
            self.lost.append((path, repr(error)))
            return
        self._count(path, answer if answer.status_code >= 300 else None, answer.text[:300])

    def _count(self, what, failed, text):
        if failed is not None:
            self.lost.append((what, failed.status_code, text))
        else:
            self.answered[what] += 1


async def the_proxy_asks(server):
    """Until it has answered one of the callers: for two seconds the proxy leaves out who refused it."""
    async with asyncio.timeout(60):
        while not any(line["user"] for line in server.logged("request.done")):  # noqa: ASYNC110 - a process
            await asyncio.sleep(0.01)


@pytest.mark.long_form
async def test_nothing_is_lost_while_one_server_after_the_other_is_restarted(hall_sites, hall_database):
    binds = [f"127.0.0.1:{free_port()}" for _ in range(2)]
    front = free_port()
    replaced = {
        "127.0.0.1:8080": binds[0],
        "127.0.0.1:8090": binds[1],
        "listen 80;": f"listen 127.0.0.1:{front};",
    }
    async with hall_sites.lease(hall_database) as site:

        def serve(bind):
            more = {"SERVICE_TRUSTED_PROXIES": "127.0.0.1", "SERVICE_DRAIN_SECONDS": "4"}
            return serving(site, SERVICE_BIND=bind, **more)

        async with AsyncExitStack() as stack:
            servers = [await stack.enter_async_context(serve(bind)) for bind in binds]
            url = stack.enter_context(nginx(shown_configuration(), front, replaced))
            callers = Callers(url, site.people.acme.team.people["member"].token)
            asking = [asyncio.create_task(callers.go_on()) for _ in range(CALLERS)]
            await callers.get_on()
            for server, bind in zip(servers, binds, strict=True):
                server.signal()
                assert await server.exit_code() == 0
                again = await stack.enter_async_context(serve(bind))
                again.base_url = f"http://{bind}"
                await ready_says(again, 200)
                await the_proxy_asks(again)
                await callers.get_on()
            callers.over.set()
            await asyncio.gather(*asking)
    assert callers.lost == []
