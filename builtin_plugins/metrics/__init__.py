"""Metrics: what plugins and kernel declare, measured when somebody looks, and added up over processes."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, get_args

from builtin_plugins.metrics.measurements import Measurements, counts_rows
from builtin_plugins.metrics.server import process_metrics
from guildhall_sdk import Host, Metric, Plugin, hookimpl
from guildhall_sdk.hooks import Declarer, checked, declares
from guildhall_sdk.metrics import MetricKind, Metrics
from libs.own_process.supervision import ProcessGroup

PLUGIN = Plugin(
    id="metrics",
    name="Metrics",
    version="0.1.0",
    description="What operators can watch.",
    essential=True,
)

_NAME = re.compile(r"(?=.{1,100}$)[a-z][a-z0-9]*(_[a-z0-9]+)+")
_LABEL = re.compile(r"[a-z][a-z0-9_]{0,40}")
_OURS = (
    "guildhall_database_",
    "guildhall_http_",
    "guildhall_metrics_",
    "guildhall_rate_limit_",
    "process_",
)
_SUFFIXES = ("_bucket", "_count", "_created", "_sum", "_total")


def _family(metric: Metric) -> str:
    """Returns the name that no other metric may have: `things_total` and `things` are one to some readers."""
    return metric.name.removesuffix("_total")


class MetricHooks(Protocol):
    """The hook of the plugin `metrics`."""

    @declares(Metric, label="metric", name=_family, functions={"measure": ("host", "reader")})
    def declare_metrics(self) -> Sequence[Metric]:
        """Declares metrics of this plugin for the operator; each is measured when somebody looks."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (checked(MetricHooks, declare_metrics=metric_fault),)


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    return process_metrics()


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Metrics: _measurements}


def _measurements(host: Host) -> Measurements:
    if (group := host.find_service(ProcessGroup)) is None:
        return Measurements(host)
    from builtin_plugins.metrics.reports import Reports
    from builtin_plugins.metrics.shared import SharedMeasurements

    return SharedMeasurements(host, Reports(group.slots, group.position))


@hookimpl
async def on_start(host: Host) -> None:
    _of(host).start()


# Before any other stops: what it measures is whole until then.
@hookimpl(trylast=True)
async def on_stop(host: Host) -> None:
    await _of(host).stop()


def _of(host: Host) -> Measurements:
    metrics = host.service(Metrics)
    assert isinstance(metrics, Measurements)
    return metrics


def metric_fault(metric: Metric, declarer: Declarer) -> str | None:
    """Returns why a metric would not read well, or could not be told from another's; or None."""
    fault = _name_fault(metric, declarer) or _measure_fault(metric)
    return None if fault is None else f"the metric {metric.name!r}{fault}"


def _name_fault(metric: Metric, declarer: Declarer) -> str | None:
    name = metric.name
    if not _NAME.fullmatch(name):
        return " must be small words with _ between: acme_widgets"
    if name.startswith(_OURS) and declarer.id != PLUGIN.id:
        return f" must not begin with {', '.join(_OURS)}: those are the kernel's"
    if metric.kind not in get_args(MetricKind):
        return f": there is no kind {metric.kind}"
    if (metric.kind == "counter") != name.endswith("_total"):
        return ": the name of a counter ends in _total, and no other does"
    if name.removesuffix("_total").endswith(_SUFFIXES):
        return f" must not end in {', '.join(_SUFFIXES)}"
    if not all(_LABEL.fullmatch(label) and label != "le" for label in metric.labels):
        return ": its labels must be small words, and not le"
    return None


def _measure_fault(metric: Metric) -> str | None:
    if metric.measure is None and metric.kind != "counter":
        return f": a {metric.kind} needs a measure"
    if metric.per_process and counts_rows(metric):
        return " counts rows: they are not of one process"
    if metric.per_process is False and metric.measure is None:
        return " is added to in each process, so it is of each"
    if metric.measure is not None and not inspect.iscoroutinefunction(metric.measure):
        return ": its measure must be async"
    return None
