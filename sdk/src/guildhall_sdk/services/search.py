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
    """Changes with the transaction that changes what it tells of."""

    async def put(self, writer: Writer, found: Findable) -> None:
        """Makes it findable, in place of what it was found by before."""
        ...

    async def remove(self, writer: Writer, type: str, ref_id: str) -> None: ...
