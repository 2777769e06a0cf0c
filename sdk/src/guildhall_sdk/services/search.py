"""The search index, as the plugins that fill it see it."""

from dataclasses import dataclass
from typing import Protocol

from guildhall_sdk.data import Writer


@dataclass(frozen=True, slots=True)
class Findable:
    """One thing with the words it is found by."""

    type: str
    ref_id: str
    org_id: str
    team_id: str
    title: str
    text: str


class SearchIndex(Protocol):
    """Changes with the transaction that changes what it tells of.

    It knows words and no rights: those are the source's, asked anew by each search. So a change of who
    may read a thing is none of the index.
    """

    async def put(self, writer: Writer, found: Findable) -> None:
        """Makes it findable, in place of what it was found by before.

        Of a long text the first million characters count.
        """
        ...

    async def remove(self, writer: Writer, type: str, ref_id: str) -> None:
        """No error if it is not there."""
        ...
