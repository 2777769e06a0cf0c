"""Counters, and reading what was counted and measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from guildhall_sdk.data import Reader
from guildhall_sdk.metrics import Metric, MetricKind


@dataclass(frozen=True, slots=True)
class Sample:
    """One value under its labels. Of a histogram it is the number of observations.

    A histogram also has their sum, and for each upper bound how many were at most that; the last
    bound is infinite.
    """

    labels: Mapping[str, str]
    value: float
    sum: float | None = None
    buckets: Sequence[tuple[float, int]] = ()


@dataclass(frozen=True, slots=True)
class MetricFamily:
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


class KernelMetrics(Protocol):
    """The metrics of the kernel, which no plugin declares; for whoever implements `Metrics`."""

    @property
    def declared(self) -> Sequence[Metric]:
        """The metrics that there are by now; the last are added when the server begins to answer."""
