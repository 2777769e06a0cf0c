"""The ledger: what is reserved, settled and stored, counted for the team and its company, or refused."""

import math
from collections import Counter as Tally
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from builtin_plugins.quotas import store
from builtin_plugins.quotas.counters import TIGHT_FIFTHS, Counter, Moment, Shortfall
from builtin_plugins.quotas.limits import PLANS, Limits
from builtin_plugins.quotas.store import Change, Page, give_back_lapsed
from guildhall_sdk import Clock, Reader, TooManyRequests, Writer, new_id
from guildhall_sdk.dimensions import (
    Dimension,
    DimensionKind,
    QuotaLevel,
    QuotaWindow,
    Reservation,
    Usage,
)
from guildhall_sdk.plugin import Plugins

_NEXT_TRY_SECONDS = 1
_is_tight = itemgetter("is_tight")


def longest(shortfalls: Iterable[Shortfall], kinds: Mapping[str, DimensionKind]) -> Shortfall | None:
    """Returns the limit that refuses for the longest: until it gives way, no other matters."""

    def wait(shortfall: Shortfall) -> float:
        if kinds[shortfall.dimension] == "concurrency":
            return 0
        return math.inf if shortfall.resets_at is None else shortfall.resets_at

    return max(shortfalls, key=wait, default=None)


def refusal(shortfall: Shortfall, kind: DimensionKind, now_ms: int) -> TooManyRequests:
    whose = "company" if shortfall.level == "org" else "team"
    facts: dict[str, Any] = {
        "dimension": shortfall.dimension,
        "level": shortfall.level,
        "limit": shortfall.limit,
        "used": shortfall.used,
    }
    if kind == "concurrency":
        return TooManyRequests(
            f"The {whose} may have {shortfall.limit} of {shortfall.dimension} at once and has "
            f"{shortfall.used}; try again when one is done.",
            code="concurrency_exceeded",
            headers={"Retry-After": str(_NEXT_TRY_SECONDS)},
            **facts,
        )
    return TooManyRequests(
        f"This would take the {whose} past its limit of {shortfall.limit} {shortfall.dimension}"
        f"{_per(shortfall)}; {shortfall.used} are used.",
        code="quota_exceeded",
        headers=_retry_after(shortfall.resets_at, now_ms),
        window=shortfall.window,
        **facts,
    )


def _per(shortfall: Shortfall) -> str:
    return "" if shortfall.window == "none" else f" a {shortfall.window}"


def _retry_after(resets_at: int | None, now_ms: int) -> dict[str, str]:
    """Returns whole seconds to the reset; None where waiting is of no use."""
    if resets_at is None:
        return {}
    return {"Retry-After": str(max(_NEXT_TRY_SECONDS, math.ceil((resets_at - now_ms) / 1000)))}


class Ledger:
    """Implements the SDK's `Quotas`.

    Every change is made under the lock of the company, and checked before anything is written:
    a refused call leaves its transaction as it found it.
    """

    def __init__(self, clock: Clock, plugins: Plugins, limits: Limits) -> None:
        self._clock = clock
        self._plugins = plugins
        self._limits = limits
        self._refusals: Tally[str] = Tally()
        self._declared: Sequence[Dimension] = ()
        self._kind_of: Mapping[str, DimensionKind] = {}
        self._stocks: set[str] = set()

    @property
    def refusals(self) -> Mapping[str, int]:
        return self._refusals

    @property
    def plans(self) -> Sequence[str]:
        return tuple(PLANS)

    def dimensions(self) -> Sequence[Dimension]:
        return self._plugins.declared(Dimension)

    async def reserve(
        self, writer: Writer, org_id: str, team_id: str, amounts: Mapping[str, int], ttl_ms: int
    ) -> Reservation:
        kinds = self._kinds()
        for name, amount in amounts.items():
            if name not in kinds:
                raise _undeclared(name)
            if amount < 0:
                raise ValueError(f"{amount} of {name} cannot be reserved")
        page = await self._open(writer, org_id, team_id)
        spent = self._check_limits(page, amounts)
        await store.save(writer, org_id, spent)
        # That all places are taken is said of nothing: it is over in a moment.
        lasting = [one for one in spent if kinds[one.dimension] != "concurrency"]
        await self._tell_of_limits(writer, org_id, page.changes(lasting))
        reservation = Reservation(new_id("qrs", page.moment.ms), org_id, team_id)
        await store.hold(writer, reservation, amounts, page.moment.ms, page.moment.ms + ttl_ms)
        return reservation

    async def settle(
        self, writer: Writer, reservation: Reservation, actual: Mapping[str, int] | None = None
    ) -> None:
        await self._end(writer, reservation, actual or {}, as_reserved=True)

    async def release(
        self, writer: Writer, reservation: Reservation, keep: Mapping[str, int] | None = None
    ) -> None:
        await self._end(writer, reservation, keep or {}, as_reserved=False)

    async def extend(
        self,
        writer: Writer,
        reservation: Reservation,
        ttl_ms: int,
        more: Mapping[str, int] | None = None,
    ) -> bool:
        grown = {name: amount for name, amount in (more or {}).items() if amount}
        for name, amount in grown.items():
            kind = self._kinds().get(name)
            if kind is None:
                raise _undeclared(name)
            if kind != "stock" or amount < 0:
                raise ValueError(f"a reservation cannot grow by {amount} of {name}")
        page = await self._open(writer, reservation.org_id, reservation.team_id)
        spent = self._check_limits(page, grown)
        if not await store.extend_hold(writer, reservation, grown, page.moment.ms, ttl_ms):
            return False
        if spent:
            await store.save(writer, reservation.org_id, spent)
        return True

    async def check_capacity(
        self, reader: Reader, org_id: str, team_id: str, dimension: str, amount: int
    ) -> None:
        self._require_stock(dimension)
        moment = Moment.at(self._clock.now_ms())
        self._check_limits(await store.read(reader, org_id, team_id, moment, dimension), {dimension: amount})

    async def left(self, writer: Writer, org_id: str, team_id: str, dimension: str) -> int | None:
        self._require_stock(dimension)
        page = await self._open(writer, org_id, team_id, dimension)
        rooms = [one.left_in("none") for one in page.both(dimension)]
        return min((room for room in rooms if room is not None), default=None)

    async def adjust(
        self,
        writer: Writer,
        org_id: str,
        team_id: str,
        dimension: str,
        by: int,
        instead_of: Reservation | None = None,
    ) -> None:
        self._require_stock(dimension)
        if instead_of is None:
            if not by:
                return
            await writer.serialize(store.LOCK + org_id)
            # Where nothing speaks against it one statement does it, and else changes nothing.
            whose = {"org_id": org_id, "team_id": team_id, "dimension": dimension}
            how = {"by": by, "now": self._clock.now_ms(), "tight_fifths": TIGHT_FIFTHS}
            if shifted := await writer.all(store.sql.shift_stock, **whose, **how):
                if by > 0 and any(map(_is_tight, shifted)):
                    await self._tell_of_limits(writer, org_id, store.shifts(shifted, dimension, by))
                return
        page = await self._open(writer, org_id, team_id, dimension)
        if instead_of is not None:
            await self._count_without(writer, page, org_id, instead_of, dimension)
        spent = self._check_limits(page, {dimension: by})
        if instead_of is not None:
            await store.end_hold(writer, instead_of)
        await store.save(writer, org_id, spent)
        await self._tell_of_limits(writer, org_id, page.changes(spent))

    async def set_limit(
        self,
        writer: Writer,
        level: QuotaLevel,
        subject_id: str,
        dimension: str,
        window: QuotaWindow,
        limit: int | None,
    ) -> Usage:
        moment = Moment.at(self._clock.now_ms())
        declared = next((one for one in self.dimensions() if one.name == dimension), None)
        return await self._limits.set_limit(
            writer, declared, level, subject_id, window=window, limit=limit, moment=moment
        )

    async def apply_plan(self, writer: Writer, org_id: str, plan: str) -> None:
        await self._limits.apply_plan(writer, org_id, plan)

    async def usage(self, reader: Reader, org_id: str, team_id: str | None = None) -> Sequence[Usage]:
        moment = Moment.at(self._clock.now_ms())
        return await self._limits.usage(reader, self.dimensions(), org_id, team_id, moment)

    async def _tell_of_limits(self, writer: Writer, org_id: str, changes: Iterable[Change]) -> None:
        """Tells people of limits that they come near; in a command nobody is told."""

    def _kinds(self) -> Mapping[str, DimensionKind]:
        """Returns the kind of each dimension; made anew only where others are declared than before."""
        declared = self._plugins.declared(Dimension)
        if declared is not self._declared:
            self._declared, self._kind_of = declared, {one.name: one.kind for one in declared}
        return self._kind_of

    async def _open(self, writer: Writer, org_id: str, team_id: str, dimension: str | None = None) -> Page:
        """Returns the counters, locked until the transaction ends, without what has lapsed."""
        await writer.serialize(store.LOCK + org_id)
        moment = Moment.at(self._clock.now_ms())
        page = await store.read(writer, org_id, team_id, moment, dimension)
        if page.has_lapsed:
            await give_back_lapsed(writer, org_id, moment)
            page = await store.read(writer, org_id, team_id, moment, dimension)
        return page

    def _require_stock(self, dimension: str) -> None:
        if dimension in self._stocks:
            return
        kind = self._kinds().get(dimension)
        if kind is None:
            raise _undeclared(dimension)
        if kind != "stock":
            raise ValueError(f"{dimension} is not a stock; reserve it")
        self._stocks.add(dimension)

    async def _count_without(
        self, writer: Writer, page: Page, org_id: str, reservation: Reservation, dimension: str
    ) -> None:
        """Puts the page to what it says once a reservation of this stock has ended."""
        if (reservation.org_id, reservation.team_id) != (org_id, page.team_id):
            raise ValueError("the reservation is another team's")
        for hold in await store.holds_of(writer, reservation):
            if hold["dimension"] != dimension:
                raise ValueError(f"{hold['dimension']} was reserved too; settle it")
            if not hold["returned"]:
                page.put(one.plus(-hold["amount"], "stock") for one in page.both(dimension))

    def _check_limits(self, page: Page, amounts: Mapping[str, int]) -> list[Counter]:
        """Returns the counters with the amounts in them; raises the refusal where a level lacks room."""
        kinds = self._kinds()
        counters = [(counter, amount) for name, amount in amounts.items() for counter in page.both(name)]
        shortfalls = [one for counter, amount in counters for one in counter.shortfalls(amount)]
        worst = longest(shortfalls, kinds)
        if worst is not None:
            self._refusals[worst.dimension] += 1
            raise refusal(worst, kinds[worst.dimension], page.moment.ms)
        return [counter.plus(amount, kinds[counter.dimension]) for counter, amount in counters]

    async def _end(
        self, writer: Writer, reservation: Reservation, amounts: Mapping[str, int], *, as_reserved: bool
    ) -> None:
        """Puts each dimension to its amount, or to what `as_reserved` says where none is given."""
        page = await self._open(writer, reservation.org_id, reservation.team_id)
        holds = await store.end_hold(writer, reservation)
        if not holds:
            return
        if extra := set(amounts) - {hold["dimension"] for hold in holds}:
            raise ValueError(f"{min(extra)} was not reserved")
        kinds = self._kinds()
        for hold in holds:
            name, reserved = hold["dimension"], hold["amount"]
            final = amounts.get(name, reserved if as_reserved else 0)
            if final < 0:
                raise ValueError(f"nobody can have used {final} of {name}")
            if name not in kinds:
                raise _undeclared(name)
            if kinds[name] == "concurrency":
                final = 0
            counted = 0 if hold["returned"] else reserved
            reserved_at = Moment.at(hold["reserved_at"])
            page.put(one.corrected(final - counted, reserved_at) for one in page.both(name))
        names = [hold["dimension"] for hold in holds]
        await store.save(writer, reservation.org_id, [one for name in names for one in page.both(name)])


def _undeclared(name: str) -> ValueError:
    return ValueError(f"no plugin declares the quota dimension {name}")
