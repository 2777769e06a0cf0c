"""Measuring on a machine that others use: contestants take turns, and only ratios within a round count."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, sqrt
from statistics import median
from typing import TypeVar

Reading = TypeVar("Reading")


@dataclass(frozen=True, slots=True)
class Ratio:
    """The median of the rounds' ratios, and between what it would fall in 19 runs out of 20."""

    middle: float
    low: float
    high: float


def take_turns(contestants: Mapping[str, Callable[[], Reading]], rounds: int) -> dict[str, list[Reading]]:
    """A, B, C, then B, C, A …: what disturbs a round disturbs all of it, and nobody is always first.

    Many short turns measure better than a few long ones: a disturbance then spans whole rounds.
    """
    names = list(contestants)
    readings: dict[str, list[Reading]] = {name: [] for name in names}
    for turn in range(rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            readings[name].append(contestants[name]())
    return readings


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """Of two series taken in the same rounds."""
    ratios = sorted(our / their for our, their in zip(ours, theirs, strict=True))
    # Order statistics around the median; they assume nothing about how the noise is spread.
    middle, reach = (len(ratios) - 1) / 2, 0.98 * sqrt(len(ratios))
    low, high = max(0, floor(middle - reach)), min(len(ratios) - 1, ceil(middle + reach))
    return Ratio(median(ratios), ratios[low], ratios[high])
