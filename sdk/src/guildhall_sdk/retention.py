"""Retention: how long what is over is kept before it is thrown away; the audit trail, and how it ends."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from guildhall_sdk.commands import OpenedHost
from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.settings import Setting, whole

FOR_EVER = 0
_MAX_DAYS = 36_500


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Retained:
    """Rows of a plugin that are deleted some days after they are over; for `declare_retained`.

    Only what is over: nothing that somebody still waits for, and nothing that something which stays refers
    to. `count` and `delete_expired` get the time in milliseconds before which it was over.
    """

    #: Small letters and `_`: `guildhall retention` lists it by this name.
    name: str
    #: What it is, in a few words for the operator.
    title: str
    #: For how many days it is kept, `FOR_EVER` for no end; a setting that the same plugin declares.
    keep_days: Setting[int]
    #: Returns how many would be deleted.
    count: Callable[[Reader, int], Awaitable[int]]
    #: Deletes at most so many rows, the oldest first, and returns how many; 0 when there are no more.
    delete_expired: Callable[[Writer, int, int], Awaitable[int]]
    #: Goes to the next rows that are over, before each portion and outside of its transaction; returns False
    #: when there are no more. For what is found by a walk past much that stays; then no count ends it.
    seek: Callable[[Reader, int], Awaitable[bool]] | None = None


def days_setting(name: str, *, what: str, default: int, variable: str | None = None) -> Setting[int]:
    """Returns the setting for `Retained.keep_days`; 0 keeps for ever."""
    return Setting(
        name=name,
        variable=variable,
        help=f"for how many days {what} are kept; 0 is for ever",
        default=default,
        parse=whole(0, _MAX_DAYS, f"a number of days, 0 to {_MAX_DAYS}; 0 is for ever"),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RetainedByTeams:
    """Something that each team keeps by rules of its own; for `declare_retained_by_teams`."""

    #: Small letters and `_`: `guildhall retention` lists it by this name.
    name: str
    #: What it is, in a few words for the operator.
    title: str
    #: Returns lines for the operator: whose rules would throw what away at that time in milliseconds.
    describe: Callable[[OpenedHost, int], Awaitable[Sequence[str]]]


class AuditTrail(Protocol):
    """What the server records of who did what; `GET /api/audit` shows it."""

    async def count(self, reader: Reader) -> int:
        """Counts the events that the whole instance has recorded and not deleted."""


class AuditRetention(Protocol):
    """Deletes old events such that what remains still verifies; for the plugin that says for how long.

    None that is younger than 30 days goes, and none of a chain that does not hold.
    """

    async def count(self, reader: Reader, before: int) -> int:
        """Counts the events before a time in milliseconds."""

    async def delete_before(self, writer: Writer, before: int, limit: int) -> int:
        """Deletes about so many of them, from the start of each chain on; returns 0 when no more go."""

    async def redact(
        self, writer: Writer, chain: str, after: int, *, person: str | None, names: Sequence[str]
    ) -> tuple[int, int] | None:
        """Takes words from some events of a chain after this number, and leaves ids, such that it verifies.

        Of all events, or of those that a person or one of these names is in. Returns the number that it came
        to and how many events it changed; None where there are no more.
        """
