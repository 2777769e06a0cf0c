"""Counting, and reading what was counted and measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from guildhall_sdk.data import Reader
from guildhall_sdk.metrics import MetricKind


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
    def add(self, *labels: str, by: float = 1) -> None:
        """Counts under these values of the metric's labels; call it on the event loop."""
        ...


class Metrics(Protocol):
    """What the plugins and the kernel declare, in this process and since its start."""

    def counter(self, name: str) -> Counter:
        """The counter that is declared under this name without a measure; take it once and keep it."""
        ...

    async def value(self, reader: Reader, name: str) -> float | None:
        """What a metric without labels measures now; None where nobody declares it."""
        ...

    async def collect(self) -> Sequence[MetricFamily]:
        """Everything, measured now. What cannot be measured is logged and left out."""
        ...
