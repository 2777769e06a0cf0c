"""Calling push executors: where they live, their clients, whether one answers, and how it is shown."""

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, NamedTuple

from builtin_plugins.executors.endpoints import EndpointRefused, open_client
from builtin_plugins.executors.model_endpoint import authorization
from guildhall_sdk import Clock, Row
from guildhall_sdk.services.models import Health
from libs.outbound_http import HttpFault, HttpTimeout, Resolve, SystemResolver

if TYPE_CHECKING:
    from libs.outbound_http.transport import PooledClient

PROBE_EVERY_MS = 30_000
_PROBES_MISSED_MS = 5 * PROBE_EVERY_MS
_GRACE_MS = 30_000

SIMULATED_OK = Health("ok", None, "simulated: no model is configured")
NEVER_SEEN = Health("unknown", None, None)

PROBE_SECONDS = 10.0
# Some servers list no models, and are well all the same.
_NO_LIST = frozenset({404, 405, 501})


class Verdicts:
    """One that pulls is well for two leases and a little after its last call."""

    def __init__(self, clock: Clock, lease_seconds: int) -> None:
        self._clock = clock
        self._patience_ms = 2 * lease_seconds * 1000 + _GRACE_MS

    def of_push(self, probe: Row | None) -> Health:
        if probe is None or probe["checked_at"] is None:
            return NEVER_SEEN
        checked_at: int = probe["checked_at"]
        if self._clock.now_ms() - checked_at > _PROBES_MISSED_MS:
            return Health("unknown", checked_at, "not checked lately")
        return Health("ok" if probe["reachable"] else "down", checked_at, probe["detail"])

    def of_pull(self, called_at: int | None) -> Health:
        if called_at is None:
            return NEVER_SEEN
        if self._clock.now_ms() - called_at > self._patience_ms:
            return Health("down", called_at, "no worker has called lately")
        return Health("ok", called_at, None)


class PushEndpoint(NamedTuple):
    """Where a push executor lives; `guarded` says that it must be on the public internet."""

    executor_id: str
    org_id: str | None
    url: str
    model: str | None
    guarded: bool


class Probed(NamedTuple):
    """What a probe found; `detail` is for everybody whom the executor is offered to."""

    reachable: bool
    detail: str | None = None


class PushClients:
    """One client for the public internet and one for where the operator says; made at the first use."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._clients: dict[bool, PooledClient] = {}

    def client_for(self, endpoint: PushEndpoint) -> "PooledClient":
        if endpoint.guarded not in self._clients:
            self._clients[endpoint.guarded] = open_client(self._resolve if endpoint.guarded else None)
        return self._clients[endpoint.guarded]

    async def close(self) -> None:
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.aclose()
        if isinstance(self._resolve, SystemResolver):
            self._resolve.close()


async def probe(clients: PushClients, endpoint: PushEndpoint, key: str | None) -> Probed:
    """Asks for the list of models; the answer's body is not read."""
    client, headers = clients.client_for(endpoint), {"Accept": "application/json", **authorization(key)}
    try:
        async with (
            asyncio.timeout(PROBE_SECONDS),
            aclosing(await client.send("GET", f"{endpoint.url}/models", headers)) as answer,
        ):
            return _verdict(answer.status)
    except (TimeoutError, HttpTimeout):
        return Probed(False, "does not answer in time")
    except EndpointRefused:
        return Probed(False, "is not on the public internet")
    except HttpFault:
        return Probed(False, "cannot be reached")


def _verdict(status: int) -> Probed:
    if 200 <= status < 300 or status in _NO_LIST:
        return Probed(True)
    if status in (401, 403):
        return Probed(False, "refuses the key")
    return Probed(False, f"answers {status}")
