"""HTTP for plugins: to addresses that were checked, bounded for each company, counted for each plugin."""

import logging
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from guildhall_sdk import Host, Metric, Setting, UserError
from guildhall_sdk.metrics import Counter, Metrics
from guildhall_sdk.services.outbound import OutboundAnswer, OutboundFailed, OutboundHttp, OutboundRequest
from guildhall_sdk.settings import boolean
from libs.outbound_http import (
    AnswerTooLarge,
    EndpointRefused,
    HttpFault,
    HttpTimeout,
    Request,
    Resolve,
    Slots,
    SystemResolver,
    TooManyAtOnce,
    check_public,
    fetch,
    parse_url,
    public_addresses,
)

if TYPE_CHECKING:
    from libs.outbound_http.transport import PooledClient

# Of a company, in each process: requests under way, and those that wait for one of these to end.
AT_ONCE, WAITING = 32, 256
MAX_SECONDS = 600.0
MAX_HEADERS = 64
_FAULTS = {
    HttpTimeout: ("outbound_timeout", "The other server did not answer in time."),
    AnswerTooLarge: ("outbound_too_large", "The other server's answer is too long."),
    TooManyAtOnce: (
        "outbound_busy",
        "The company has too many requests to other servers under way; try again.",
    ),
    HttpFault: ("outbound_failed", "The other server cannot be reached, or broke off."),
}

ORG_PRIVATE_ENDPOINTS: Setting[bool] = Setting(
    name="org_private_endpoints",
    variable="SERVICE_ORG_PRIVATE_ENDPOINTS",
    help="what companies name (executors, webhooks, sign-in) may live on private addresses",
    default=False,
    parse=boolean,
)
REQUESTS = Metric(
    "guildhall_outbound_requests_total",
    "Requests to addresses that companies chose, by plugin and outcome",
    "counter",
    ("plugin", "outcome"),
)
SECONDS_TAKEN = Metric(
    "guildhall_outbound_seconds_total",
    "How long requests to addresses that companies chose took, by plugin",
    "counter",
    ("plugin",),
)
_log = logging.getLogger("guildhall.outbound")


def _refused(refusal: EndpointRefused) -> UserError:
    return UserError(str(refusal), code="endpoint_refused")


class GuardedHttp:
    """Implements the SDK's `OutboundHttp`."""

    def __init__(self, host: Host, resolve: Resolve | None = None) -> None:
        self._host = host
        self.private_allowed = host.setting(ORG_PRIVATE_ENDPOINTS)
        self._resolve: Resolve = resolve or SystemResolver()
        self._slots = Slots(AT_ONCE, WAITING)
        self._client: PooledClient | None = None

    @cached_property
    def _counted(self) -> tuple[Counter, Counter]:
        metrics = self._host.service(Metrics)
        return metrics.counter(REQUESTS.name), metrics.counter(SECONDS_TAKEN.name)

    async def check(self, url: str) -> str:
        try:
            endpoint = parse_url(url)
            if not self.private_allowed:
                await check_public(endpoint, self._resolve)
        except EndpointRefused as refusal:
            raise _refused(refusal) from None
        return endpoint.url

    async def send(self, request: OutboundRequest) -> OutboundAnswer:
        requests, seconds = self._counted
        begun = self._host.clock.steady_ms()
        outcome = "failed"
        try:
            answer = await self._sent(request)
            outcome = f"{answer.status // 100}xx"
            return answer
        except OutboundFailed as failure:
            outcome = failure.code.removeprefix("outbound_")
            raise
        except UserError:
            outcome = "refused"
            raise
        finally:
            requests.add(request.plugin, outcome)
            seconds.add(request.plugin, by=(self._host.clock.steady_ms() - begun) / 1000)

    async def _sent(self, request: OutboundRequest) -> OutboundAnswer:
        _check_headers(request)
        try:
            endpoint = parse_url(request.url)
            wanted = Request(
                request.method,
                endpoint.url,
                request.headers,
                request.body,
                min(request.timeout_seconds, MAX_SECONDS),
                request.max_bytes,
            )
            return OutboundAnswer(*await fetch(self._opened(), self._slots, request.org_id, wanted))
        except EndpointRefused as refusal:
            raise _refused(refusal) from None
        except HttpFault as fault:
            code, detail = _FAULTS[type(fault)]
            fields = {"plugin": request.plugin, "org_id": request.org_id, "code": code}
            _log.info("outbound.failed", extra={"fields": fields})
            raise OutboundFailed(detail, code=code) from None

    def _opened(self) -> "PooledClient":
        if self._client is None:
            from libs.outbound_http.transport import open_client

            self._client = open_client(None if self.private_allowed else self._checked)
        return self._client

    async def _checked(self, host: str, port: int) -> Sequence[str]:
        return await public_addresses(host, port, self._resolve)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()
        if isinstance(self._resolve, SystemResolver):
            self._resolve.close()


def _check_headers(request: OutboundRequest) -> None:
    """Raises `UserError` for headers that would break the request, or that are the connection's own."""
    if len(request.headers) > MAX_HEADERS:
        raise UserError(f"A request has at most {MAX_HEADERS} headers.", code="endpoint_refused")
    for name, value in request.headers.items():
        plain = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
        if not plain or name.lower() in _CONNECTIONS_OWN:
            raise UserError(f"The header {name[:80]!r} cannot be sent.", code="endpoint_refused")
        if not (value.isascii() and value.replace("\t", " ").isprintable()):
            # Its text does not say the value, which may be a secret.
            raise UserError(f"The value of the header {name} cannot be sent.", code="endpoint_refused")


_CONNECTIONS_OWN = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect"}
)


def guarded_http(host: Host) -> GuardedHttp:
    """Returns the service `OutboundHttp` with all that this plugin does for it."""
    found = host.service(OutboundHttp)
    assert isinstance(found, GuardedHttp)
    return found
