"""Calling push executors: their clients, a turn with one, and a look whether it answers."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from guildhall_sdk import Data, JobFailed
from kernel.executors.endpoints import EndpointRefused, Resolve, SystemResolver
from kernel.executors.store import PushEndpoint, StoredExecutors
from kernel.executors.turns import TURN_SECONDS, authorization, run_turn

if TYPE_CHECKING:
    import httpx

PROBE_SECONDS = 10.0
# Some servers list no models, and are well all the same.
_NO_LIST = frozenset({404, 405, 501})


@dataclass(frozen=True, slots=True)
class Probed:
    """What a probe found; `detail` is for everybody whom the executor is offered to."""

    reachable: bool
    detail: str | None = None


class PushClients:
    """One client for the public internet and one for where the operator says; made at the first use."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._clients: dict[bool, httpx.AsyncClient] = {}

    def client_for(self, endpoint: PushEndpoint) -> "httpx.AsyncClient":
        from kernel.executors.transport import open_client

        if endpoint.guarded not in self._clients:
            self._clients[endpoint.guarded] = open_client(self._resolve if endpoint.guarded else None)
        return self._clients[endpoint.guarded]

    async def close(self) -> None:
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.aclose()
        if isinstance(self._resolve, SystemResolver):
            self._resolve.close()


class PushTurns:
    """A turn with the model behind a push executor."""

    def __init__(
        self, executors: StoredExecutors, clients: PushClients, *, timeout_seconds: float = TURN_SECONDS
    ) -> None:
        self._executors = executors
        self._clients = clients
        self._timeout_seconds = timeout_seconds

    async def run(self, data: Data, executor_id: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Not inside a scope. Raises `JobFailed`, with `unknown_executor` for one that was retired."""
        async with data.read() as reader:
            endpoint = await self._executors.push_endpoint(reader, executor_id)
            if endpoint is None:
                raise JobFailed("unknown_executor", "The executor is not there any more.")
            key = await self._executors.key_of(reader, endpoint)
        if payload.get("model") is None:
            payload = {**payload, "model": endpoint.model}
        client = self._clients.client_for(endpoint)
        return await run_turn(client, endpoint.url, key, payload, timeout_seconds=self._timeout_seconds)


async def probe(clients: PushClients, endpoint: PushEndpoint, key: str | None) -> Probed:
    """Asks for the list of models; the answer's body is not read."""
    import httpx

    client = clients.client_for(endpoint)
    try:
        async with (
            asyncio.timeout(PROBE_SECONDS),
            client.stream("GET", f"{endpoint.url}/models", headers=authorization(key)) as response,
        ):
            return _verdict(response.status_code)
    except (TimeoutError, httpx.TimeoutException):
        return Probed(False, "does not answer in time")
    except EndpointRefused:
        return Probed(False, "is not on the public internet")
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError):
        return Probed(False, "cannot be reached")


def _verdict(status: int) -> Probed:
    if 200 <= status < 300 or status in _NO_LIST:
        return Probed(True)
    if status in (401, 403):
        return Probed(False, "refuses the key")
    return Probed(False, f"answers {status}")
