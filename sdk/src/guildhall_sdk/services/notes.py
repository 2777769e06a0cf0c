"""Notes, for the plugins that show them elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from guildhall_sdk.data import Reader
from guildhall_sdk.principal import Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadableNote:
    """A note that the caller may read."""

    id: str
    title: str
    body: str
    #: In milliseconds since 1970.
    updated_at: int


class Notes(Protocol):
    """The notes of all teams, each for whom it is there. Its plugin may be absent: `find_service`.

    Both calls raise `PermissionDenied`, and `FeatureDisabled` where the team has the plugin off.
    """

    async def read(self, reader: Reader, principal: Principal, note_id: str) -> ReadableNote:
        """By id. Raises `NotFound` where there is none that the caller may read."""

    async def page(
        self, reader: Reader, principal: Principal, *, before: str | None = None, limit: int = 50
    ) -> Sequence[ReadableNote]:
        """Those that the caller may read, newest first, older than the note of the id `before`.

        It may be shorter than asked for where the notes are long; the last page is empty.
        """
