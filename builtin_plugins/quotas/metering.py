"""Metered work: reserved before it, settled after it, however it ends."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from builtin_plugins.quotas.ledger import Ledger
from builtin_plugins.quotas.limits import Limits
from builtin_plugins.quotas.notices import tell_of_limits
from guildhall_sdk import Host, Problem, Unavailable, Writer
from guildhall_sdk.dimensions import Meter, Quotas, Reservation
from guildhall_sdk.plugin import Plugins

# Seconds between attempts to settle; the database itself waits a while in each.
_PAUSES = (0.2, 0.4, 0.8, 1.6)


class MeteringLedger(Ledger):
    """The ledger of a running server, which meters blocks of work too."""

    def __init__(self, host: Host, limits: Limits) -> None:
        super().__init__(host.clock, host.service(Plugins), limits)
        self._tell_of_limits = partial(tell_of_limits, host)  # type: ignore[method-assign]
        self.metered = partial(metered, host)


@asynccontextmanager
async def metered(
    host: Host,
    org_id: str,
    team_id: str,
    amounts: Mapping[str, int],
    *,
    ttl_ms: int,
    kept_on_failure: Sequence[str] = (),
    settled: Callable[[Writer], Awaitable[None]] | None = None,
    recorded: Callable[[Writer, Mapping[str, int]], Awaitable[None]] | None = None,
) -> AsyncIterator[Meter]:
    """Reserves for the length of the block and settles at its end; see `Quotas.metered`."""
    quotas = host.service(Quotas)

    async def reserve() -> Reservation:
        # A crash ends what it is for, so that nobody need wait for the disk.
        async with host.data.write(within=org_id, durable=False) as writer:
            return await quotas.reserve(writer, org_id, team_id, amounts, ttl_ms)

    async def settle(reservation: Reservation, used: Mapping[str, int]) -> None:
        async def write(writer: Writer) -> None:
            if settled is not None:
                await settled(writer)
            if recorded is not None:
                await recorded(writer, {**amounts, **used})
            await quotas.settle(writer, reservation, used)

        await _write_when_free(host, write)

    async def give_back(reservation: Awaitable[Reservation], keep: Mapping[str, int]) -> None:
        # Where even this is refused the reservation lapses; what went wrong first is what counts.
        with suppress(Problem):
            held = await reservation

            async def write(writer: Writer) -> None:
                if recorded is not None and any(keep.values()):
                    await recorded(writer, keep)
                await quotas.release(writer, held, keep)

            await _write_when_free(host, write)

    reserving = asyncio.create_task(reserve())
    try:
        meter = Meter(await asyncio.shield(reserving))
    except asyncio.CancelledError:
        await _to_the_end(give_back(reserving, {}))
        raise

    async def end() -> None:
        try:
            await settle(meter.reservation, meter.used)
        except BaseException:
            if settled is not None:
                await give_back(reserving, spent())
            raise

    def spent() -> Mapping[str, int]:
        return {name: amounts[name] for name in kept_on_failure} | meter.used

    try:
        yield meter
    except BaseException:
        await _to_the_end(give_back(reserving, spent()))
        raise
    await _to_the_end(end())


async def _write_when_free(host: Host, write: Callable[[Writer], Awaitable[None]]) -> None:
    """Writes what work that is done came to, also where the database is busy for a while.

    Nobody can try again what was answered already. What failed in its commit is not tried again: it may be
    there.
    """
    for pause in (*_PAUSES, None):
        committing = False
        try:
            async with host.data.write() as writer:
                await write(writer)
                committing = True
            return
        except Unavailable:
            if committing or pause is None:
                raise
        await asyncio.sleep(pause)


async def _to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Finishes the work even if whoever waits for it is cancelled meanwhile."""
    await asyncio.shield(asyncio.create_task(work))
