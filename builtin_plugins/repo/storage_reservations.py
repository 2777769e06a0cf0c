"""Room in a team's storage for bytes that are on their way: reserved before they are taken.

An announced length is reserved whole. What comes without one is reserved in steps that double, so that a
stream is stopped as soon as it passes what is left, and a short one takes little from others. The ledger of
quotas counts all of it together, whichever process takes it in; what a process leaves behind lapses.

A reservation is a transaction, which a short body is not worth: while a company has few of them on their way
in this process, those of a medium length are only asked about, and of small ones not even that, because they
are here before anybody could refuse them. The transaction that counts them checks them all the same.
"""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import cached_property

from guildhall_sdk import Host, Problem, Writer
from guildhall_sdk.dimensions import Quotas, Reservation
from guildhall_sdk.services.stored_objects import Staged

STORAGE = "storage.bytes"
SMALL_BYTES = 64 * 1024
MEDIUM_BYTES = 1024 * 1024
# What one process takes in for a company at the same time without a reservation.
UNRESERVED = 8 * 1024 * 1024
LONGEST_STEP = 8 * 1024 * 1024
# A body that stops arriving is cut off within twenty seconds: whoever lives extends in time.
TTL_MS = 60_000
_RENEW_MS = TTL_MS // 3


class StorageReservations:
    """Counts what this process takes in without a reservation, company by company."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._unreserved: Counter[str] = Counter()

    @cached_property
    def quotas(self) -> Quotas:
        return self.host.service(Quotas)

    def take(self, org_id: str, size: int) -> bool:
        if self._unreserved[org_id] + size > UNRESERVED:
            return False
        self._unreserved[org_id] += size
        return True

    def free(self, org_id: str, size: int) -> None:
        self._unreserved[org_id] -= size
        if not self._unreserved[org_id]:
            del self._unreserved[org_id]


class UploadReservation:
    """The storage that one upload reserves until a version counts it, or it is given up.

    It had `counted` bytes of it before.
    """

    def __init__(self, reservations: StorageReservations, org_id: str, team_id: str, counted: int) -> None:
        self._reservations = reservations
        self._org_id = org_id
        self._team_id = team_id
        self._quotas = reservations.quotas
        self._counted = counted
        self._unreserved = 0
        self._reserved = 0
        self._renew_at = 0
        self.reservation: Reservation | None = None

    async def begin(self, length: int | None) -> None:
        """Reserves before the first byte is taken; raises `TooManyRequests` `quota_exceeded`."""
        wanted = SMALL_BYTES if length is None else max(0, length - self._counted)
        if wanted <= MEDIUM_BYTES and self._reservations.take(self._org_id, wanted):
            self._unreserved = wanted
            if wanted > SMALL_BYTES:
                await self._check(wanted)
        elif length is not None:
            await self._reserve(wanted, wanted)

    async def admitted(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Yields the chunks for which there is room, whatever was announced; raises where it ends."""
        taken = 0
        async for chunk in chunks:
            taken += len(chunk)
            missing = taken - self._counted - self._unreserved - self._reserved
            if missing > 0:
                await self._reserve(missing, max(missing, min(taken, LONGEST_STEP)))
            elif self.reservation is not None and self._reservations.host.clock.now_ms() >= self._renew_at:
                await self._reserve(0, 0)
            yield chunk

    def free(self) -> None:
        """Frees the room once what came is counted, or gone; a second call does nothing."""
        if self._unreserved:
            self._reservations.free(self._org_id, self._unreserved)
            self._unreserved = 0

    async def give_back(self) -> None:
        """Gives back all of it; what even this cannot reach lapses."""
        self.free()
        if self.reservation is not None:
            with suppress(Problem):
                async with self._reservations.host.data.write() as writer:
                    await self._quotas.release(writer, self.reservation)

    async def _check(self, size: int) -> None:
        async with self._reservations.host.data.read() as reader:
            await self._quotas.check_capacity(reader, self._org_id, self._team_id, STORAGE, size)

    async def _reserve(self, needed: int, wanted: int) -> None:
        """Reserves `wanted` more or what there is, at least what is needed; what has lapsed anew."""
        renew_at = self._reservations.host.clock.now_ms() + _RENEW_MS
        async with self._reservations.host.data.write() as writer:
            if wanted > needed:
                left = await self._quotas.left(writer, self._org_id, self._team_id, STORAGE)
                wanted = wanted if left is None else max(needed, min(wanted, left))
            reservation = await self._held(writer, wanted)
        self.reservation, self._reserved = reservation, self._reserved + wanted
        self._renew_at = renew_at

    async def _held(self, writer: Writer, more: int) -> Reservation:
        if self.reservation is not None and await self._quotas.extend(
            writer, self.reservation, TTL_MS, {STORAGE: more}
        ):
            return self.reservation
        amounts = {STORAGE: self._reserved + more}
        return await self._quotas.reserve(writer, self._org_id, self._team_id, amounts, TTL_MS)


def reservation_of(staged: Staged) -> Reservation | None:
    """Returns what the staged bytes reserve until a version, or whoever holds them, counts them."""
    return staged.reserved.reservation if isinstance(staged.reserved, UploadReservation) else None
