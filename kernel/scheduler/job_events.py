"""What the scheduler asks of whoever records events of jobs, and delivers events by jobs."""

from collections.abc import Sequence

from guildhall_sdk import JobKind, Row, Writer


class JobEvents:
    """Nobody is interested; `kernel.events` is, and builds on this."""

    async def jobs_ended(self, writer: Writer, rows: Sequence[Row]) -> None:
        """Runs in the transaction in which jobs end or change hands."""

    def kind_of_another(self, name: str) -> JobKind | None:
        """Returns a kind for a job whose own no plugin here brings; None puts the job off."""
        return None
