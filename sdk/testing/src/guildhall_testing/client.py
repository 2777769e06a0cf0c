"""A caller of a running hall."""

import asyncio
import json as json_text
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import httpx

from guildhall_sdk.replies import EVENT_STREAM
from guildhall_testing.clock import FakeClock
from guildhall_testing.event_reading import ReceivedEvent, read_until_idle, received_events
from guildhall_testing.transport import LocalTransport
from guildhall_testing.watch import Watch


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in a team, with the token that they call with."""

    user_id: str
    username: str
    role: str
    team_id: str
    org_id: str
    token: str
    org_role: str | None = None
    operator: bool = False


@dataclass(frozen=True, slots=True)
class Wire:
    """The connections of one hall, kept alive and shared by all its callers."""

    http: httpx.AsyncClient
    transport: LocalTransport
    clock: FakeClock
    watch: Watch
    loop: asyncio.AbstractEventLoop

    async def send(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response:
        """Sends a request; its answer is read whole, unless it is wanted as a stream.

        httpx's own way would look for redirects, cookies and proxies that no hall has, on each request.
        """
        response = await self.transport.handle_async_request(request)
        if not stream:
            try:
                await response.aread()
            finally:
                await response.aclose()
        return response

    def check_loop(self) -> None:
        if asyncio.get_running_loop() is not self.loop:
            raise RuntimeError(
                "the test runs on another event loop than the hall; set asyncio_default_test_loop_scope "
                "and asyncio_default_fixture_loop_scope to session in the pytest settings"
            )


class Client:
    """Calls the server as one person, or as nobody. Implements the SDK's `SampleClient`."""

    def __init__(self, wire: Wire, token: str | None = None, person: Person | None = None) -> None:
        self._wire = wire
        self.token = token
        self._person = person

    @property
    def person(self) -> Person:
        if self._person is None:
            raise RuntimeError("this client calls without being anybody in particular")
        return self._person

    @property
    def user_id(self) -> str:
        return self.person.user_id

    @property
    def username(self) -> str:
        return self.person.username

    @property
    def team_id(self) -> str:
        return self.person.team_id

    @property
    def org_id(self) -> str:
        return self.person.org_id

    def bearing(self, token: str | None) -> "Client":
        """Returns a client of this person with another token, such as one that a login gave."""
        return Client(self._wire, token, self._person)

    async def request(
        self,
        method: str,
        path: str,
        json: Any = None,
        *,
        content: bytes | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | bytes] | None = None,
        silence_seconds: float | None = None,
    ) -> httpx.Response:
        """Sends a request; `json` None sends no body.

        For a bare `null`, or anything that is not JSON, give `content`. A stream of events is read to its
        end, or with `silence_seconds` until nothing comes for so long.
        """
        request = self._request(method, path, json, content=content, params=params, headers=headers)
        if silence_seconds is None:
            response = await self._wire.send(request)
        else:
            response = await self._send_briefly(request, silence_seconds)
        if "json" in response.headers.get("content-type", "") and response.content:
            self._wire.watch.learn_from(response.json())
        return response

    @asynccontextmanager
    async def events(
        self, method: str, path: str, json: Any = None, **more: Any
    ) -> AsyncIterator[AsyncIterator[ReceivedEvent]]:
        """Opens a stream: `async with client.events("GET", path) as events:`; leaving the block hangs up."""
        response = await self._wire.send(self._request(method, path, json, **more), stream=True)
        try:
            yield received_events(response)
        finally:
            await response.aclose()

    async def _send_briefly(self, request: httpx.Request, silence_seconds: float) -> httpx.Response:
        response = await self._wire.send(request, stream=True)
        try:
            if not response.headers.get("content-type", "").startswith(EVENT_STREAM):
                await response.aread()
                return response
            content = await read_until_idle(response, silence_seconds)
        finally:
            await response.aclose()
        plain = [(name, value) for name, value in response.headers.raw if name.lower() != b"content-length"]
        return httpx.Response(response.status_code, headers=plain, content=content, request=request)

    def _request(
        self,
        method: str,
        path: str,
        json: Any = None,
        *,
        content: bytes | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | bytes] | None = None,
    ) -> httpx.Request:
        self._wire.check_loop()
        self._wire.clock.advance(milliseconds=1)
        sent: dict[str, str | bytes] = {}
        if self.token is not None:
            sent["Authorization"] = f"Bearer {self.token}"
        if json is not None:
            content = json_text.dumps(json, ensure_ascii=False).encode("utf-8", "surrogatepass")
            sent["Content-Type"] = "application/json"
            self._wire.watch.learn_from(json)
        raw = {
            name.encode(): value if isinstance(value, bytes) else value.encode()
            for name, value in {**sent, **(headers or {})}.items()
        }
        url = _absolute(self._wire.http.base_url, path) if _is_plain(path) else path
        return self._wire.http.build_request(method, url, content=content, params=params, headers=raw)

    async def get(self, path: str, **more: Any) -> httpx.Response:
        return await self.request("GET", path, **more)

    async def post(self, path: str, json: Any = None, **more: Any) -> httpx.Response:
        return await self.request("POST", path, json, **more)

    async def put(self, path: str, json: Any = None, **more: Any) -> httpx.Response:
        return await self.request("PUT", path, json, **more)

    async def patch(self, path: str, json: Any = None, **more: Any) -> httpx.Response:
        return await self.request("PATCH", path, json, **more)

    async def delete(self, path: str, json: Any = None, **more: Any) -> httpx.Response:
        return await self.request("DELETE", path, json, **more)

    async def call(
        self, method: str, path: str, body: Any = None, *, may_refuse: bool = False, **headers: str
    ) -> tuple[int, Mapping[str, Any]]:
        """Returns the status and the decoded JSON; `If_Match="…"` becomes the header `If-Match`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"content": body} if isinstance(body, bytes) else {"json": body}
        response = await self.request(method, path, **sent, headers=named)
        return response.status_code, response.json() if response.content else {}


def _is_plain(path: str) -> bool:
    """Tells whether it is a path and no more: what begins with two slashes is a host."""
    return path.startswith("/") and not path.startswith("//") and "#" not in path


@lru_cache(4096)
def _absolute(base_url: httpx.URL, path: str) -> httpx.URL:
    """Returns the address of a path: to take it apart for each request would cost more than to send it."""
    return httpx.URL(str(base_url).rstrip("/") + path)
