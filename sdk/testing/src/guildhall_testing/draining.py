"""Schedulers on their own, and jobs that are run to their end by hand."""

from collections.abc import Sequence

from guildhall_sdk import Host, JobKind, Row, Writer
from kernel.db.database import Database
from kernel.features import Switchable, TeamFeatures
from kernel.scheduler.lanes import KindSwitches
from kernel.scheduler.scheduler import Scheduler


class NobodyInterested:
    """Events of jobs that nobody hears of, on a server without subscriptions."""

    async def jobs_ended(self, writer: Writer, rows: Sequence[Row]) -> None:
        pass

    def jobs_moved(self, writer: Writer, rows: Sequence[Row]) -> None:
        pass

    def kind_of_another(self, name: str) -> JobKind | None:
        return None


def bare_scheduler(host: Host, data: Database, kinds: Sequence[JobKind], lease_seconds: int) -> Scheduler:
    """Returns a scheduler of kinds that nothing turns off, all of one host."""
    return Scheduler(
        host,
        data,
        kinds,
        lease_seconds=lease_seconds,
        events=NobodyInterested(),
        hosts={},
        switches=KindSwitches(owners={}, read=TeamFeatures(Switchable()).read, held=frozenset),
    )


async def drain(scheduler: Scheduler) -> None:
    """Returns when nothing that is due waits for this process, and nothing runs in it."""
    local, push = scheduler._local, scheduler._push
    while True:
        # Before the claim: what ends while it looks may leave room or ask for more, which it did not see.
        running = bool(local.held or push.held)
        begun = local.begun + push.begun
        await scheduler.renewal.renew_if_due()
        await scheduler.upkeep.tick()
        claimed = await scheduler.claimer.claim_round()
        # The claimer's own round may have come first: what it took asks for more when it ends.
        running = running or bool(local.held or push.held)
        await local.idle()
        await push.idle()
        if not claimed and not running and begun == local.begun + push.begun:
            return
