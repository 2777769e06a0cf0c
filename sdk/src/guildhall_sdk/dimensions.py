"""Dimensions: what is counted for each team and company, how it is limited, and the ledger of its use."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, get_args

from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.ids import rfc3339_or_none

QuotaLevel = Literal["team", "org"]
QuotaWindow = Literal["minute", "hour", "day", "month", "none"]
QUOTA_WINDOWS: tuple[QuotaWindow, ...] = get_args(QuotaWindow)
DimensionKind = Literal["rate", "concurrency", "stock"]


@dataclass(frozen=True, slots=True)
class Dimension:
    """Something that is counted and can be limited; kinds of jobs may reserve it.

    rate: used up, and given anew with each window. concurrency: how many run at once. stock: how
    much is kept. A limit of a rate names a window, `none` for ever; the others have only `none`. The name is
    words of small letters and digits with a dot between: `ai.requests`.
    """

    name: str
    description: str
    kind: DimensionKind


class Reservation(NamedTuple):
    """Amounts that are reserved until they are settled, released, or lapse by themselves."""

    id: str
    org_id: str
    team_id: str


@dataclass(frozen=True, slots=True)
class Usage:
    """The use of one dimension at one level in one window; a `limit` or `resets_at` of None is none."""

    dimension: str
    level: QuotaLevel
    window: QuotaWindow
    used: int
    limit: int | None
    resets_at: int | None

    def public(self) -> dict[str, Any]:
        """Returns the usage as the API shows it."""
        return {
            "dimension": self.dimension,
            "level": self.level,
            "used": self.used,
            "limit": self.limit,
            "remaining": None if self.limit is None else max(0, self.limit - self.used),
            "window": self.window,
            "resets_at": rfc3339_or_none(self.resets_at),
        }


@dataclass(slots=True)
class Meter:
    """The amounts that the work under a reservation really used, as far as they are known."""

    reservation: Reservation
    used: dict[str, int] = field(default_factory=dict)


class JobReservations(Protocol):
    """Counts what kinds of jobs reserve; offered by the plugin that keeps limits.

    Each call holds the company's place until the transaction ends.
    """

    async def reserve(
        self, writer: Writer, org_id: str, team_id: str, amounts: Mapping[str, int], ttl_ms: int
    ) -> Reservation:
        """Reserves all of the amounts or nothing.

        Raises `TooManyRequests` `quota_exceeded` or `concurrency_exceeded`, and then counts nothing. A
        reservation that nobody settles within `ttl_ms` is as if it had never been.
        """

    async def settle(
        self, writer: Writer, reservation: Reservation, actual: Mapping[str, int] | None = None
    ) -> None:
        """Ends a reservation: frees concurrency, and counts what was really used of the rest.

        That may pass a limit. An amount that is left out stays as reserved. A second call does nothing; after
        a lapse the use counts. A stock that may not pass its limit is ended by `Quotas.adjust` instead.
        """

    async def release(
        self, writer: Writer, reservation: Reservation, keep: Mapping[str, int] | None = None
    ) -> None:
        """Ends a reservation and gives everything back but what is named in `keep`."""


class Quotas(JobReservations, Protocol):
    """The ledger, which admits what both the team and its company have room for.

    Each call that writes holds the company's place in the ledger until the transaction ends: make it the last
    thing before the commit, and do not wait for anybody in between.
    """

    #: The number of refusals of each dimension, in this process.
    refusals: Mapping[str, int]

    #: The names of the plans that `apply_plan` knows.
    plans: Sequence[str]

    def dimensions(self) -> Sequence[Dimension]:
        """Returns the dimensions that plugins declare."""

    async def extend(
        self, writer: Writer, reservation: Reservation, ttl_ms: int, more: Mapping[str, int] | None = None
    ) -> bool:
        """Extends a reservation to so long from now, and by `more` of its stocks; False where it has ended.

        A lapsed one has ended too. Raises `TooManyRequests` where there is no room for more, and then changes
        nothing.
        """

    async def check_capacity(
        self, reader: Reader, org_id: str, team_id: str, dimension: str, amount: int
    ) -> None:
        """Raises `TooManyRequests` `quota_exceeded` where a stock has no room for so much now.

        Nothing is reserved: `reserve` or `adjust` may be refused all the same.
        """

    async def left(self, writer: Writer, org_id: str, team_id: str, dimension: str) -> int | None:
        """Returns how much of a stock there is room for, in team and company; None is no limit.

        It holds until the transaction ends.
        """

    async def adjust(
        self,
        writer: Writer,
        org_id: str,
        team_id: str,
        dimension: str,
        by: int,
        instead_of: Reservation | None = None,
    ) -> None:
        """Changes a stock in the transaction of what it counts, and ends the reservation in `instead_of`.

        Growth past a limit raises `TooManyRequests` `quota_exceeded`; shrinking is always allowed.
        """

    async def set_limit(
        self,
        writer: Writer,
        level: QuotaLevel,
        subject_id: str,
        dimension: str,
        window: QuotaWindow,
        limit: int | None,
    ) -> Usage:
        """Limits a team or a company by its id; None lifts the limit. Records `quota.changed`.

        Raises `InvalidRequest` for a dimension that nobody declares or a window it does not have, and
        `NotFound` for a team or company that is not there.
        """

    async def apply_plan(self, writer: Writer, org_id: str, plan: str) -> None:
        """Puts the company's limits and its share of a busy server to those of a plan; all else stays.

        Call it wherever a company is created or its plan changes. Raises `InvalidRequest` at `/plan`.
        """

    async def usage(self, reader: Reader, org_id: str, team_id: str | None = None) -> Sequence[Usage]:
        """Returns a row for each limit, and one for each dimension without; without a team, the company's."""

    def metered(
        self,
        org_id: str,
        team_id: str,
        amounts: Mapping[str, int],
        *,
        ttl_ms: int,
        kept_on_failure: Sequence[str] = (),
        settled: Callable[[Writer], Awaitable[None]] | None = None,
        recorded: Callable[[Writer, Mapping[str, int]], Awaitable[None]] | None = None,
    ) -> AbstractAsyncContextManager[Meter]:
        """Reserves for the length of the block and settles at its end by what `Meter.used` then says.

        A block that fails or is cancelled gives the rest back: it keeps `kept_on_failure` as reserved,
        and what it had noted as used. Not for use inside a write scope; there, call the ledger itself.

        `settled` runs in the transaction that settles: what the work came to and what it cost are both in
        the database, or neither. When it fails, so does the block. It is called once the block is through,
        and not for one that fails or is cancelled; where the database is busy, once more in a new
        transaction.

        `recorded` runs in the transaction that ends the reservation, well or not, with what is counted of
        each amount: a book that is kept by it says what the ledger says. A block that counts nothing has
        none.
        """


UsageBy = Literal["user", "model", "token", "day"]


@dataclass(frozen=True, slots=True)
class UsageLine:
    """What one of them has used: `id` is a user's, a model's name, a token's or a day, `name` is for people.

    What was used without an API token stands under the kind of the credential, such as `session`.
    """

    id: str
    name: str
    requests: int
    tokens: int


class UsageReports(Protocol):
    """Says who used what; whoever meters offers it, and its sums are those of the quota ledger."""

    async def lines(
        self,
        reader: Reader,
        team_id: str,
        by: UsageBy,
        *,
        user_id: str | None = None,
        since: int | None = None,
        until: int | None = None,
        after: str | None = None,
        limit: int,
    ) -> Sequence[UsageLine]:
        """Returns the lines of a team ordered by id, those behind `after`; of all its people, or of one.

        `since` and `until` are milliseconds since the epoch: from the one, and before the other.
        """
