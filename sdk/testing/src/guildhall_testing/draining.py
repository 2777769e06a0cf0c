"""Jobs that are run to their end by hand."""

from kernel.scheduler.scheduler import Scheduler


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
