"""Measuring on a machine that others use: contestants take turns, and only ratios within a turn count."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import TypeVar

Reading = TypeVar("Reading")


@dataclass(frozen=True, slots=True)
class Ratio:
    """The median of the rounds' ratios, their quartiles, and the ratio of each side's quietest readings."""

    middle: float
    low: float
    high: float
    quiet: float


def take_turns(contestants: Mapping[str, Callable[[], Reading]], rounds: int) -> dict[str, list[Reading]]:
    """A, B, C, then B, C, A …: what disturbs a round disturbs all of it, and nobody is always first."""
    names = list(contestants)
    readings: dict[str, list[Reading]] = {name: [] for name in names}
    for turn in range(rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            readings[name].append(contestants[name]())
    return readings


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """Of two series taken in the same rounds."""
    ratios = [our / their for our, their in zip(ours, theirs, strict=True)]
    low, middle, high = _cuts(ratios, 4)
    return Ratio(middle, low, high, _cuts(ours, 10)[0] / _cuts(theirs, 10)[0])


def _cuts(values: Sequence[float], parts: int) -> list[float]:
    if len(values) == 1:
        return [values[0]] * (parts - 1)
    return quantiles(values, n=parts, method="inclusive")
