"""What an operator can watch of the jobs."""

from collections import Counter
from collections.abc import Iterable, Sequence

from guildhall_sdk import Host, Measured, Metric, Reader, Row
from kernel.scheduler.statements import LeaseClock, sql


class JobMetrics:
    def __init__(self, time: LeaseClock) -> None:
        self._time = time
        self._ended: Counter[tuple[str, ...]] = Counter()

    def count(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._ended[row["kind"], "retried" if row["state"] == "scheduled" else row["state"]] += 1

    def declared(self) -> Sequence[Metric]:
        async def live(host: Host, reader: Reader) -> Measured:
            rows = await reader.all(sql.live_by_kind)
            return {(row["state"], row["kind"]): row["many"] for row in rows}

        async def longest_wait(host: Host, reader: Reader) -> Measured:
            waited = await reader.value(sql.longest_wait, wall=self._time.time_of_day())
            return {(): max(0, waited or 0) / 1000}

        async def ended(host: Host, reader: Reader) -> Measured:
            return self._ended

        return (
            Metric(
                "guildhall_jobs",
                "Jobs that wait or run",
                "gauge",
                ("state", "kind"),
                measure=live,
                sampled=True,
            ),
            Metric(
                "guildhall_jobs_wait_seconds",
                "How long the longest waiting job has been ready",
                "gauge",
                (),
                measure=longest_wait,
            ),
            Metric(
                "guildhall_job_attempts_total",
                "Attempts that ended, and how",
                "counter",
                ("kind", "outcome"),
                measure=ended,
            ),
        )
