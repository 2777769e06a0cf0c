"""The search index, as the plugins that fill it and those that ask it see it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from guildhall_sdk.data import Writer
from guildhall_sdk.principal import Principal


class PreparedText(Protocol):
    """A text that was split into words before the transaction that it is put in."""

    org_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Findable:
    """One thing with the words it is found by; `prepared` is its text, where that was prepared.

    `new` says that there was nothing of this id before, which spares the index a look.
    """

    type: str
    ref_id: str
    org_id: str
    team_id: str
    title: str
    text: str
    prepared: PreparedText | None = field(default=None, compare=False, repr=False)
    new: bool = field(default=False, compare=False, kw_only=True)


class SearchIndex(Protocol):
    """The search index, which changes with the transaction that changes the thing itself.

    It holds words and no rights: those are the source's, asked anew by each search. So a change of who may
    read a thing is no change of the index.
    """

    async def prepare(self, org_id: str, text: str) -> PreparedText | None:
        """Splits a long text into words, for `put`; returns None where it is short. Not inside a scope.

        A long one takes seconds, and inside a transaction everybody else's would wait for it.
        """
        ...

    async def put(self, writer: Writer, found: Findable) -> None:
        """Makes a thing findable by these words, in place of those before.

        Of a long text the first million characters count.
        """
        ...

    async def remove(self, writer: Writer, type: str, ref_id: str) -> None:
        """Removes a thing from the index, if it is there."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPage:
    """What a caller may read of what was found, best first, as `GET /api/search` shows it."""

    items: Sequence[dict[str, Any]]
    next_cursor: str | None
    #: The types that could not be searched just now.
    unavailable: Sequence[str] = ()


class Search(Protocol):
    """Finds what a caller may read by the words in it."""

    async def find(
        self,
        principal: Principal,
        text: str,
        *,
        type: str | None = None,
        across_company: bool = False,
        cursor: str | None = None,
        limit: int = 50,
    ) -> FoundPage:
        """Not inside a scope. `across_company` needs `org:read`.

        Raises `PermissionDenied`, and `InvalidRequest` for a type or a cursor that is none.
        """
        ...
