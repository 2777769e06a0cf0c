"""Metrics of a server of several processes: whoever is asked tells what all of them have counted."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from builtin_plugins.metrics.measurements import (
    PATIENCE_SECONDS,
    Measurements,
    counts_rows,
    family_of,
    log_failure,
    raise_if_cancelled,
)
from builtin_plugins.metrics.reports import Reports, distribution
from guildhall_sdk import Host, Metric, Row, Statement
from guildhall_sdk.context import BackgroundWork
from guildhall_sdk.metrics import Distribution, Measured, MetricFamily

REPORT_SECONDS = 5.0
# Whoever stops waits no longer for a measure that hangs.
_LAST_SECONDS = 1.0


class _ReadsDatabase(Exception):
    """A measure reads the database: what it gives is the same in every process."""


class _NoReader:
    async def one(self, statement: Statement, **binds: Any) -> Row | None:
        raise _ReadsDatabase

    async def all(self, statement: Statement, **binds: Any) -> Sequence[Row]:
        raise _ReadsDatabase

    async def value(self, statement: Statement, **binds: Any) -> Any:
        raise _ReadsDatabase


class SharedMeasurements(Measurements):
    """Implements the SDK's `Metrics` in one process of several."""

    def __init__(self, host: Host, reports: Reports) -> None:
        super().__init__(host)
        self._reports = reports
        self._reporting: BackgroundWork | None = None
        self._begun = 0
        # By name: with which round it was measured, and what that gave.
        self._own: dict[str, tuple[int, Metric, Measured]] = {}
        self._reading: set[str] = set()

    async def collect(self) -> list[MetricFamily]:
        await self._measure_own(log_failures=True)
        total = await asyncio.to_thread(self._reports.total)
        families = await self._families([row for row in self._declared() if not self._is_per_process(row[1])])
        names = {family.name for family in families}
        sums = [family_of(metric, measured) for metric, measured in total if metric.name not in names]
        return [*families, *sums, self._ages()]

    def start(self) -> None:
        """Begins to tell the other processes, again and again, what this one has counted."""
        self._reporting = self._host.background("reporting metrics", self._report_repeatedly)

    async def stop(self) -> None:
        """Tells the other processes for the last time."""
        if self._reporting is not None:
            await self._reporting.cancel()
            with suppress(TimeoutError):
                async with asyncio.timeout(_LAST_SECONDS):
                    await self._measure_own()
            await asyncio.to_thread(self._reports.leave)

    async def _report_repeatedly(self) -> None:
        while True:
            await self._measure_own()
            await asyncio.to_thread(self._reports.write)
            await asyncio.sleep(REPORT_SECONDS)

    async def _measure_own(self, *, log_failures: bool = False) -> None:
        """Measures what is of this process alone; what fails is as it was, so that no sum falls for it.

        All at once, and nobody waits for another who does the same: one that hangs holds up none of them.
        """
        self._begun += 1
        own = [row for row in self._declared() if self._is_per_process(row[1])]
        try:
            await asyncio.gather(*(self._measure_one(*row, self._begun, log_failures) for row in own))
        finally:
            self._reports.own = [(metric, measured) for _, metric, measured in self._own.values()]

    async def _measure_one(self, owner: str, metric: Metric, begun: int, log_failures: bool) -> None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                measured = _copied(metric, await self._measured(metric, _NoReader()))
        except _ReadsDatabase:
            self._reading.add(metric.name)
            self._own.pop(metric.name, None)
        except (Exception, asyncio.CancelledError) as error:
            raise_if_cancelled(error)
            if log_failures:
                log_failure(error, owner, metric)
        else:
            before, *_ = self._own.get(metric.name, (0,))
            if before <= begun:  # or it was measured since, by one that began later
                self._own[metric.name] = begun, metric, measured

    def _is_per_process(self, metric: Metric) -> bool:
        if counts_rows(metric) or metric.name in self._reading:
            return False
        return metric.kind != "gauge" if metric.per_process is None else metric.per_process


def _copied(metric: Metric, measured: Measured) -> Measured:
    """Returns what was measured as it is now; raises for what could not be told."""
    family_of(metric, measured)
    return {
        tuple(map(str, labels)): _spread(one) if isinstance(one, Distribution) else _number(one)
        for labels, one in measured.items()
    }


def _spread(one: Distribution) -> Distribution:
    return distribution(list(map(_number, one.bounds)), map(int, one.counts), float(one.sum))


def _number(value: float) -> float:
    """Returns a number of whatever kind as one that is the same when others have read it."""
    return value if isinstance(value, int) else float(value)
