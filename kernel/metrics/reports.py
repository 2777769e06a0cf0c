"""What the processes of one supervisor count, added up: each reports its own, and any of them tells the sum.

Reports stand in memory without a name, made before the first process is forked: a place for each of them.
Who comes in the place of another goes on from its last report: what the dead have counted stays in the sum.
"""

import json
import os
import struct
import sys
import threading
import zlib
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import add
from typing import Any

from guildhall_sdk import Metric
from guildhall_sdk.metrics import Distribution, Measured
from kernel.metrics.measurements import MAX_SERIES, OTHER

# A copy may be torn because its process writes just now, and the other be no longer the last one: look again.
_LOOKS = 5
_NUMBER_AND_LENGTH = struct.Struct("QQ")
_CHECKSUM = struct.Struct("I")

Report = Sequence[tuple[Metric, Measured]]


class Place:
    """The last report of one process, in two copies: if it dies while it writes one, the other is whole."""

    def __init__(self) -> None:
        self.copies = (_memory(), _memory())

    def write(self, number: int, content: bytes) -> bool:
        """Writes over the older copy; `number` is one more than that of the last report.

        Returns False where there was no room for it: then the last report still stands.
        """
        checked = _NUMBER_AND_LENGTH.pack(number, len(content)) + content
        whole = _CHECKSUM.pack(zlib.crc32(checked)) + checked
        try:
            return os.pwrite(self.copies[number % 2], whole, 0) == len(whole)
        except OSError:
            return False

    def read(self) -> tuple[int, bytes]:
        """Returns the last whole report with its number; 0 where there is none."""
        last = (0, b"")
        for _ in range(_LOOKS):
            found = [_whole(copy) for copy in self.copies]
            last = max(last, *found)
            if all(number for number, _ in found):
                break
        return last


def _memory() -> int:
    """Opens memory, or elsewhere than on Linux a file, that goes with the last process that holds it."""
    if sys.platform == "linux":
        return os.memfd_create("guildhall-metrics")
    import tempfile

    descriptor, name = tempfile.mkstemp()
    os.unlink(name)  # noqa: PTH108
    return descriptor


def _whole(copy: int) -> tuple[int, bytes]:
    found = os.pread(copy, os.fstat(copy).st_size, 0)
    start = _CHECKSUM.size + _NUMBER_AND_LENGTH.size
    if len(found) < start:
        return 0, b""
    (checksum,) = _CHECKSUM.unpack_from(found)
    number, length = _NUMBER_AND_LENGTH.unpack_from(found, _CHECKSUM.size)
    is_whole = zlib.crc32(found[_CHECKSUM.size : start + length]) == checksum
    return (number, found[start : start + length]) if is_whole else (0, b"")


class Reports:
    """The reports of all processes, for the one at `own_place`, which is forked from the one that makes this.

    Its methods may run on any thread.
    """

    def __init__(self, places: Sequence[Place], own_place: int) -> None:
        self._places = places
        self._own_place = own_place
        self._writing = threading.Lock()
        self._number = 0
        self._inherited: Report | None = None
        self._content = b""
        self._has_left = False
        self.supervisor = os.getpid()
        #: What the process itself has counted by now.
        self.own: Report = ()

    def write(self) -> Report:
        """Reports what this process and those before it counted, if that has changed, and returns it."""
        with self._writing:
            report = add_up([self.own, self._inherit()])
            content = _encoded(0 if self._has_left else os.getpid(), report)
            place = self._places[self._own_place]
            if content != self._content and place.write(self._number + 1, content):
                self._number, self._content = self._number + 1, content
        return report

    def _inherit(self) -> Report:
        """Returns what was counted at this place before the process came."""
        if self._inherited is None:
            self._number, content = self._places[self._own_place].read()
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
            own if number == self._own_place else _told(place) for number, place in enumerate(self._places)
        )


def _told(place: Place) -> Report:
    _, content = place.read()
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
