"""Metrics of a server of several processes: whoever is asked tells what all of them have counted."""

import asyncio
from collections.abc import Sequence
from typing import Any

from guildhall_sdk import BackgroundWork, Distribution, Host, Measured, Metric, Row, Statement
from guildhall_sdk.services import MetricFamily
from kernel.logs import get_logger
from kernel.metrics.measurements import PATIENCE_SECONDS, Declared, Measurements, counts_rows, family_of
from kernel.metrics.reports import Report, Reports, distribution

_log = get_logger("metrics")
REPORT_SECONDS = 1.0


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
    """The SDK's `Metrics` in one process of several."""

    def __init__(self, host: Host, declared: Declared, reports: Reports) -> None:
        super().__init__(host, declared)
        self.server_pid = reports.supervisor
        self._reports = reports
        self._reporting: BackgroundWork | None = None
        self._measuring = asyncio.Lock()
        self._own: dict[str, tuple[Metric, Measured]] = {}
        self._reading: set[str] = set()

    async def collect(self) -> list[MetricFamily]:
        async with self._measuring:
            self._reports.own = await self._measured_own(log_failures=True)
            total = await asyncio.to_thread(self._reports.total)
        families = await self._families([row for row in self._declared() if not self._is_per_process(row[1])])
        names = {family.name for family in families}
        sums = [family_of(metric, measured) for metric, measured in total if metric.name not in names]
        return [*families, *sums, self._ages()]

    def start(self) -> None:
        """Begins to tell the other processes, again and again, what this one has counted."""
        self._reporting = self._host.background("reporting metrics", self._keep_reporting)

    async def stop(self) -> None:
        """Tells the other processes for the last time."""
        if self._reporting is not None:
            await self._reporting.cancel()
            self._reports.own = await self._measured_own()
            await asyncio.to_thread(self._reports.leave)

    async def _keep_reporting(self) -> None:
        while True:
            async with self._measuring:
                self._reports.own = await self._measured_own()
                await asyncio.to_thread(self._reports.write)
            await asyncio.sleep(REPORT_SECONDS)

    async def _measured_own(self, *, log_failures: bool = False) -> Report:
        """Measures what is of this process alone; what fails is as it was, so that no sum falls for it."""
        for owner, metric in self._declared():
            if not self._is_per_process(metric):
                continue
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    measured = await self._measured(metric, _NoReader())
                self._own[metric.name] = metric, _copied(metric, measured)
            except _ReadsDatabase:
                self._reading.add(metric.name)
                self._own.pop(metric.name, None)
            except Exception as error:
                if log_failures:
                    _log.error("metric.failed", exc=error, plugin=owner, metric=metric.name)
        return list(self._own.values())

    def _is_per_process(self, metric: Metric) -> bool:
        if counts_rows(metric) or metric.name in self._reading:
            return False
        return metric.kind != "gauge" if metric.per_process is None else metric.per_process


def _copied(metric: Metric, measured: Measured) -> Measured:
    """Returns what was measured as it is now; raises for what could not be told."""
    family_of(metric, measured)
    return {
        tuple(map(str, labels)): distribution(one.bounds, one.counts, one.sum)
        if isinstance(one, Distribution)
        else one
        for labels, one in measured.items()
    }
