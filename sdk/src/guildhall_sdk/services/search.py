"""The search index, as the plugins that fill it see it."""

from dataclasses import dataclass, field
from typing import Protocol

from guildhall_sdk.data import Writer


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
