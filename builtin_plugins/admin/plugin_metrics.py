"""What each plugin does: its requests and jobs, put together of what the server counts by row and kind."""

from collections import defaultdict
from collections.abc import Iterable

from guildhall_sdk import Host, JobKind, Metric, Reader
from guildhall_sdk.metrics import Distribution, KernelMetrics, Measured
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.routes import Adapter

_CLIENT_FAULT, _SERVER_FAULT = 400, 500
Counted = Iterable[tuple[tuple[str, ...], float]]


async def _of_server(host: Host, reader: Reader, name: str) -> Measured:
    """Measures what the server itself counts under a name: nothing where it counts no such thing."""
    measure = host.service(KernelMetrics).measures.get(name)
    return {} if measure is None else await measure(host, reader)


def _outcome(status: str) -> str:
    if not status.isdigit():
        return "answered"
    if int(status) >= _SERVER_FAULT:
        return "failed"
    return "refused" if int(status) >= _CLIENT_FAULT else "answered"


def _owners(host: Host) -> dict[tuple[str, str], str]:
    return {(row.method, row.path): plugin for plugin, row in host.service(Plugins).route_table()}


async def _requests(host: Host, reader: Reader) -> Measured:
    owners, found = _owners(host), defaultdict[tuple[str, ...], float](float)
    counted = await _of_server(host, reader, "guildhall_http_requests_total")
    for (method, path, status), many in _plain(counted):
        if (plugin := owners.get((method, path))) is not None:
            found[plugin, _outcome(status)] += many
    for plugin, adapter in host.service(Plugins).owned(Adapter):
        for (_, status), many in _plain(await _of_server(host, reader, adapter.counted_as)):
            found[plugin, _outcome(status)] += many
    return found


async def _seconds(host: Host, reader: Reader) -> Measured:
    owners, found = _owners(host), defaultdict[tuple[str, ...], float](float)
    measured = await _of_server(host, reader, "guildhall_http_request_duration_seconds")
    for (method, path), seconds in measured.items():
        plugin = owners.get((method, path))
        if plugin is not None and isinstance(seconds, Distribution):
            found[plugin,] += seconds.sum
    return found


async def _attempts(host: Host, reader: Reader) -> Measured:
    owners = {kind.name: plugin for plugin, kind in host.service(Plugins).owned(JobKind)}
    found = defaultdict[tuple[str, ...], float](float)
    counted = await _of_server(host, reader, "guildhall_job_attempts_total")
    for (kind, outcome), many in _plain(counted):
        if (plugin := owners.get(kind)) is not None:
            found[plugin, outcome] += many
    return found


def _plain(measured: Measured) -> Counted:
    return [(labels, one) for labels, one in measured.items() if not isinstance(one, Distribution)]


METRICS = (
    Metric(
        "guildhall_plugin_requests_total",
        "Requests by the plugin that took them: answered, refused (4xx), or failed (5xx)",
        "counter",
        ("plugin", "outcome"),
        measure=_requests,
    ),
    Metric(
        "guildhall_plugin_request_seconds_total",
        "Time that a plugin's rows took, from a request's head to the last byte of its answer",
        "counter",
        ("plugin",),
        measure=_seconds,
    ),
    Metric(
        "guildhall_plugin_job_attempts_total",
        "Attempts of a plugin's jobs that ended, and how",
        "counter",
        ("plugin", "outcome"),
        measure=_attempts,
    ),
)
