"""Metrics: one set per server, counted in plain numbers and put together only when somebody looks."""

import asyncio
import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from builtin_plugins.metrics.server import metrics_of_kernel
from guildhall_sdk import Host, Metric, Reader
from guildhall_sdk.context import BackgroundWork
from guildhall_sdk.metrics import Distribution, KernelMetrics, Measure, Measured, MetricFamily, Sample
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.routes import Adapter

_log = logging.getLogger("guildhall.metrics")

# A label that turns out to have no end, such as one that callers can fill, stops growing here.
MAX_SERIES = 5000
OTHER = "other"
PATIENCE_SECONDS = 5.0
# Up to so many rows are counted whenever somebody looks. Beyond, or where it took that long twice in a row,
# it is done in the background: not before the last sample is so old, and for a twentieth of the time at most.
EXACT_ROWS = 10_000
SLOW_SECONDS = 1.0
FRESH_SECONDS = 30.0
_RESTS = 20
SAMPLE_AGE = "guildhall_metrics_sample_age_seconds"


def counts_rows(metric: Metric) -> bool:
    """Tells whether the measure counts rows of the database, which are the same to every process."""
    return metric.sampled or hasattr(metric.measure, "statement")


class Tally:
    """The SDK's `Counter`."""

    __slots__ = ("_metric", "series")

    def __init__(self, metric: Metric) -> None:
        self._metric = metric
        self.series: dict[tuple[str, ...], float] = {} if metric.labels else {(): 0}

    def add(self, *labels: str, by: float = 1) -> None:
        wanted = self._metric.labels
        if len(labels) != len(wanted) or not 0 <= by < math.inf:
            raise ValueError(f"{self._metric.name} only grows, under {len(wanted)} labels")
        if labels not in self.series and len(self.series) >= MAX_SERIES:
            labels = (OTHER,) * len(labels)
        self.series[labels] = self.series.get(labels, 0) + by


class _Taken(NamedTuple):
    """What a measure gave, when, how long it took, and how often in a row that was too long."""

    measured: Measured
    at_ms: int
    seconds: float
    times_slow: int

    @property
    def costly(self) -> bool:
        rows = sum(value for value in self.measured.values() if not isinstance(value, Distribution))
        return rows > EXACT_ROWS or self.times_slow > 1


class Measurements:
    """Implements the SDK's `Metrics` in a process on its own."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._plugins = host.service(Plugins)
        self._kernel = host.service(KernelMetrics)
        self._tallies: dict[str, Tally] = {}
        self._taken: dict[str, _Taken] = {}
        self._sampling: dict[str, BackgroundWork] = {}

    def start(self) -> None:
        """Begins what is done without being asked: nothing, in a process on its own."""

    async def stop(self) -> None:
        """Ends that, when nothing is served any more."""

    def _declared(self) -> Sequence[tuple[str, Metric]]:
        """Returns the metrics of all plugins and of the kernel, each with whose it is."""
        of_kernel = metrics_of_kernel(self._kernel.measures, self._plugins.declared(Adapter))
        return [*(("kernel", metric) for metric in of_kernel), *self._plugins.owned(Metric)]

    def counter(self, name: str) -> Tally:
        if name not in self._tallies:
            metric = self._find(name)
            if metric is None or metric.measure is not None:
                raise ValueError(f"nobody declares {name} as a counter to be added to")
            self._tallies[name] = Tally(metric)
        return self._tallies[name]

    async def value(self, reader: Reader, name: str) -> float | None:
        metric = self._find(name)
        if metric is None:
            return None
        (sample,) = _samples(metric, await self._measured(metric, reader))
        return sample.value

    def age_seconds(self, name: str) -> float:
        taken = self._taken.get(name)
        if taken is None or not taken.costly:
            return 0
        return max(0, self._host.clock.now_ms() - taken.at_ms) / 1000

    async def collect(self) -> list[MetricFamily]:
        return [*await self._families(self._declared()), self._ages()]

    async def _families(self, declared: Sequence[tuple[str, Metric]]) -> list[MetricFamily]:
        families = []
        for owner, metric in declared:
            try:
                async with asyncio.timeout(PATIENCE_SECONDS), self._host.data.read() as reader:
                    families.append(family_of(metric, await self._measured(metric, reader)))
            except (Exception, asyncio.CancelledError) as error:
                raise_if_cancelled(error)
                log_failure(error, owner, metric)
                if isinstance(error, TimeoutError) and counts_rows(metric):
                    self._sample_later(metric)
        return families

    def _find(self, name: str) -> Metric | None:
        return next((metric for _, metric in self._declared() if metric.name == name), None)

    def _owner(self, metric: Metric) -> str:
        return next((owner for owner, one in self._declared() if one.name == metric.name), "")

    async def _measured(self, metric: Metric, reader: Reader) -> Measured:
        if metric.measure is None:
            return self.counter(metric.name).series
        if not counts_rows(metric):
            return await metric.measure(self._host, reader)
        taken = self._taken.get(metric.name)
        if taken is None or not taken.costly:
            taken = await self._take(metric, metric.measure, reader)
        elif self.age_seconds(metric.name) >= max(FRESH_SECONDS, taken.seconds * _RESTS):
            self._sample_later(metric)
        return taken.measured

    async def _take(self, metric: Metric, measure: Measure, reader: Reader) -> _Taken:
        now, loop = self._host.clock.now_ms(), asyncio.get_running_loop()
        began, before = loop.time(), self._taken.get(metric.name)
        measured = dict(await measure(self._host, reader))
        seconds = loop.time() - began
        times_slow = (0 if before is None else before.times_slow) + 1 if seconds >= SLOW_SECONDS else 0
        taken = self._taken[metric.name] = _Taken(measured, now, seconds, times_slow)
        return taken

    def _sample_later(self, metric: Metric) -> None:
        """Begins to measure in the background, where nobody waits, unless that is under way."""
        under_way, measure = self._sampling.get(metric.name), metric.measure
        if measure is None or (under_way is not None and not under_way.ended):
            return

        async def sample() -> None:
            try:
                async with self._host.data.read() as reader:
                    await self._take(metric, measure, reader)
            except Exception as error:
                log_failure(error, self._owner(metric), metric)

        self._sampling[metric.name] = self._host.background(f"sampling {metric.name}", sample)

    async def sampled(self) -> None:
        """Comes back when the samples that are being taken have been."""
        for work in list(self._sampling.values()):
            await work.wait()

    def _ages(self) -> MetricFamily:
        """Returns how old the samples are of metrics that are not measured whenever somebody looks."""
        costly = sorted(name for name, taken in self._taken.items() if taken.costly)
        samples = [Sample({"metric": name}, self.age_seconds(name)) for name in costly]
        return MetricFamily(SAMPLE_AGE, "gauge", "Age of what is counted in the background", samples)


def log_failure(error: BaseException, owner: str, metric: Metric) -> None:
    """Logs a metric that could not be measured, and whose it is."""
    _log.error("metric.failed", exc_info=error, extra={"fields": {"plugin": owner, "metric": metric.name}})


def raise_if_cancelled(error: BaseException) -> None:
    """Raises what says that this task is to end: a measure may say so too, of one that it awaits."""
    task = asyncio.current_task()
    if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
        raise error


def family_of(metric: Metric, measured: Measured) -> MetricFamily:
    return MetricFamily(metric.name, metric.kind, metric.help, list(_samples(metric, measured)))


def _samples(metric: Metric, measured: Measured) -> Iterator[Sample]:
    if len(measured) > MAX_SERIES + 1:
        raise ValueError(
            f"{metric.name} has {len(measured)} combinations of labels; {MAX_SERIES} is the most"
        )
    for values, value in measured.items():
        labels = dict(zip(metric.labels, map(_text, values), strict=True))
        if isinstance(value, Distribution) != (metric.kind == "histogram"):
            raise TypeError(f"{metric.name} is a {metric.kind} and measured {type(value).__name__}")
        yield _spread(labels, value) if isinstance(value, Distribution) else _plain(labels, value)


def _text(value: str) -> str:
    """Returns a label as text that can be sent: half a surrogate pair, which cannot, is written out."""
    return str(value).encode("utf-8", "backslashreplace").decode()


def _plain(labels: Mapping[str, str], value: float) -> Sample:
    if not math.isfinite(value):
        raise ValueError(f"measured {value}")
    return Sample(labels, value)


def _spread(labels: Mapping[str, str], values: Distribution) -> Sample:
    if not math.isfinite(values.sum):
        raise ValueError(f"the sum of what was observed is {values.sum}")
    reached = list(accumulate(values.counts))
    bounds = (*values.bounds, math.inf)
    return Sample(labels, reached[-1], values.sum, tuple(zip(bounds, reached, strict=True)))
