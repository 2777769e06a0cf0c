"""The service `Notes`: notes for other plugins, within the caller's rights."""

from collections.abc import Sequence

from builtin_plugins.notes import listing, service
from builtin_plugins.notes.listing import ListQuery
from builtin_plugins.notes.note import READ, Note
from guildhall_sdk import Host, PermissionDenied, Principal, Reader
from guildhall_sdk.errors import FeatureDisabled
from guildhall_sdk.services.notes import ReadableNote
from guildhall_sdk.services.toggles import Features

PLUGIN_ID = "notes"


class ReadableNotes:
    """Implements the SDK's `Notes`: judged as the rows of notes are."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def read(self, reader: Reader, principal: Principal, note_id: str) -> ReadableNote:
        self._check_on(principal)
        if not principal.scope_allows(READ):
            raise PermissionDenied(READ)
        return _readable(await service.find_readable(reader, principal, note_id))

    async def page(
        self, reader: Reader, principal: Principal, *, before: str | None = None, limit: int = 50
    ) -> Sequence[ReadableNote]:
        self._check_on(principal)
        if not principal.may(READ):
            raise PermissionDenied(READ)
        found = await listing.page(reader, principal, before, limit + 1, ListQuery())
        return [_readable(note) for note in found.notes]

    def _check_on(self, principal: Principal) -> None:
        off = self._host.service(Features).of(principal).switched_off(PLUGIN_ID)
        if off is not None:
            raise FeatureDisabled(off)


def _readable(note: Note) -> ReadableNote:
    return ReadableNote(id=note.id, title=note.title, body=note.body, updated_at=note.updated_at)
