"""Metrics for the operator: plugins declare them, and each is measured when somebody looks."""

from bisect import bisect_left
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Literal, NamedTuple, Protocol

from guildhall_sdk.context import Host
from guildhall_sdk.data import Reader, Statement

MetricKind = Literal["counter", "gauge", "histogram"]
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Distribution:
    """The number of values in each bucket. Cheap to add to; not for use by several threads."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: Sequence[float] = SECONDS) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.sum = 0.0

    def observe(self, value: float) -> None:
        """Counts a value in its bucket."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value


Measured = Mapping[tuple[str, ...], "float | Distribution"]
Measure = Callable[[Host, Reader], Awaitable[Measured]]


@dataclass(frozen=True, slots=True)
class Metric:
    """A counter, whose name ends in `_total`, a gauge or a histogram.

    `measure` gives a value for each combination of labels, in the order of `labels`; without labels
    there is one, under `()`. A counter may leave it out and be added to: `Metrics.counter(name)`.
    Labels take few values, known beforehand: a route or a kind, never a person, a company or an id.

    `sampled` says that the measure counts rows, as one by `measured_by` always does: while they are few it is
    called whenever somebody looks; once there are more than ten thousand, or it is slow, it is called in the
    background, and whoever looks gets the last sample.

    `per_process` says that each server process measures its own part, such as what it keeps in memory: with
    `guildhall serve --workers` the measure is called every few seconds, and whoever looks gets the sum over
    the processes, of a gauge over those that live. Unless you say otherwise, this holds for counters and
    histograms and not for gauges; it never holds for a measure that reads the database by its `reader`.
    """

    name: str
    help: str
    kind: MetricKind
    labels: Sequence[str] = ()
    _: KW_ONLY
    measure: Measure | None = None
    sampled: bool = False
    per_process: bool | None = None


def measured_by(statement: Statement) -> Measure:
    """Returns a measure by the rows of a statement: labels, and the value last. It may bind `:now`."""

    async def measure(host: Host, reader: Reader) -> Measured:
        rows = [tuple(row.values()) for row in await reader.all(statement, now=host.clock.now_ms())]
        return {tuple(str(label) for label in labels): value for *labels, value in rows}

    measure.statement = statement  # type: ignore[attr-defined] # for whoever proves it at boot
    return measure


def measured_from(read: Callable[[], Measured]) -> Measure:
    """Returns a measure of what is in memory, as `read` gives it when somebody looks."""

    async def measure(host: Host, reader: Reader) -> Measured:
        return read()

    return measure


class Sample(NamedTuple):
    """One value under its labels. Of a histogram it is the number of observations.

    A histogram also has their sum, and for each upper bound how many were at most that; the last
    bound is infinite.
    """

    labels: Mapping[str, str]
    value: float
    sum: float | None = None
    buckets: Sequence[tuple[float, int]] = ()


class MetricFamily(NamedTuple):
    """A metric with all its samples, at one moment."""

    name: str
    kind: MetricKind
    help: str
    samples: Sequence[Sample]


class Counter(Protocol):
    """A counter that its plugin adds to."""

    def add(self, *labels: str, by: float = 1) -> None:
        """Counts under these values of the metric's labels; call it on the event loop."""


class Metrics(Protocol):
    """The metrics of the plugins and the kernel, since the start of the server."""

    def counter(self, name: str) -> Counter:
        """Returns the counter declared under this name without a measure; take it once and keep it."""

    async def value(self, reader: Reader, name: str) -> float | None:
        """Measures a metric without labels, in this process; returns None where nobody declares it."""

    def age_seconds(self, name: str) -> float:
        """Returns how old the sample is that `value` would give; 0 where it would measure."""

    async def collect(self) -> Sequence[MetricFamily]:
        """Measures every metric. What cannot be measured is logged and left out.

        With `guildhall serve --workers` it is the sum of what the processes counted, those that are gone too.
        """


@dataclass(slots=True)
class KernelMetrics:
    """What the kernel measures, which no plugin declares; for whoever implements `Metrics`."""

    #: By the names of the metrics; the last are added when the server begins to answer.
    measures: dict[str, Measure]
