"""What the processes of one supervisor count, added up: each reports its own, and any returns the sum.

Reports stand in the memory slots of the processes, made before the first one is forked. A process that
replaces another goes on from its last report: what the dead have counted stays in the sum.
"""

import json
import os
import sys
import threading
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import add
from typing import Any

from builtin_plugins.metrics.measurements import MAX_SERIES, OTHER
from guildhall_sdk import Metric
from guildhall_sdk.metrics import Distribution, Measured
from libs.own_process.supervision import MemorySlot

Report = Sequence[tuple[Metric, Measured]]


class Reports:
    """The reports of all processes, for the one whose slot is at `position`.

    Its methods may run on any thread.
    """

    def __init__(self, slots: Sequence[MemorySlot], position: int) -> None:
        self._slots = slots
        self._position = position
        self._writing = threading.Lock()
        self._number = 0
        self._inherited: Report | None = None
        self._content = b""
        self._has_left = False
        #: What the process itself has counted by now.
        self.own: Report = ()

    def write(self) -> Report:
        """Reports what this process and those before it counted, if that has changed, and returns it."""
        with self._writing:
            report = add_up([self.own, self._inherit()])
            content = _encoded(0 if self._has_left else os.getpid(), report)
            slot = self._slots[self._position]
            if content != self._content and slot.write(self._number + 1, content):
                self._number, self._content = self._number + 1, content
        return report

    def _inherit(self) -> Report:
        """Returns what was counted in this slot before the process came."""
        if self._inherited is None:
            self._number, content = self._slots[self._position].read()
            _, report = _decoded(content)
            self._inherited = _without_gauges(report)
        return self._inherited

    def leave(self) -> None:
        """Reports for the last time: from now on the gauges of this process are gone."""
        self._has_left, self.own = True, _without_gauges(self.own)
        self.write()

    def total(self) -> Report:
        """Returns the sum over all processes.

        What it returns was reported first: whoever is asked next, this process dead or not, tells no less.
        """
        own = self.write()
        return add_up(
            own if number == self._position else _report_in(slot) for number, slot in enumerate(self._slots)
        )


def _report_in(slot: MemorySlot) -> Report:
    _, content = slot.read()
    pid, report = _decoded(content)
    return report if _is_alive(pid) else _without_gauges(report)


def _is_alive(pid: int) -> bool:
    if pid == 0:
        return False
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def _without_gauges(report: Report) -> Report:
    return [(metric, measured) for metric, measured in report if metric.kind != "gauge"]


def add_up(reports: Iterable[Report]) -> Report:
    """Adds what was measured under the same labels; what cannot be added to the first one is left out.

    That is another kind, labels or bounds, where some processes run a plugin as it was before.
    """
    sums: dict[str, tuple[Metric, dict[tuple[str, ...], float | Distribution]]] = {}
    for metric, measured in chain.from_iterable(reports):
        first, series = sums.setdefault(metric.name, (metric, {}))
        if (metric.kind, *metric.labels) != (first.kind, *first.labels):
            continue
        for labels, value in measured.items():
            if labels not in series and len(series) >= MAX_SERIES:
                labels = (OTHER,) * len(labels)
            series[labels] = _sum(series[labels], value) if labels in series else value
    return list(sums.values())


def _sum(one: float | Distribution, other: float | Distribution) -> float | Distribution:
    if not isinstance(one, Distribution) and not isinstance(other, Distribution):
        return _bounded(one + other)
    if isinstance(one, Distribution) and isinstance(other, Distribution) and one.bounds == other.bounds:
        return distribution(one.bounds, map(add, one.counts, other.counts), _bounded(one.sum + other.sum))
    return one


def _bounded(value: float) -> float:
    return max(-sys.float_info.max, min(value, sys.float_info.max))


def distribution(bounds: Sequence[float], counts: Iterable[int], total: float) -> Distribution:
    made = Distribution(bounds)
    made.counts, made.sum = list(counts), total
    return made


def _encoded(pid: int, report: Report) -> bytes:
    rows = [
        (metric.name, metric.help, metric.kind, list(metric.labels), list(measured.items()))
        for metric, measured in report
    ]
    return json.dumps((pid, rows), separators=(",", ":"), default=_plain).encode()


def _plain(value: Any) -> Any:
    return (value.bounds, value.counts, value.sum) if isinstance(value, Distribution) else float(value)


def _decoded(content: bytes) -> tuple[int, Report]:
    """Returns whose report it is, or 0 of one that has left, and the report."""
    pid, rows = json.loads(content or b"[0, []]")
    return pid, [
        (
            Metric(*metric),
            {tuple(labels): distribution(*one) if isinstance(one, list) else one for labels, one in series},
        )
        for *metric, series in rows
    ]
