"""The service `Notes`, for other plugins and the tools."""

from collections.abc import Sequence

from builtin_plugins.notes import listing
from builtin_plugins.notes.listing import ListQuery
from builtin_plugins.notes.note import MAX_CHARACTERS, MAX_TITLE, READ, WRITE, Neighbours, Note, create
from builtin_plugins.notes.service import Change, find_readable, update
from guildhall_sdk import Actor, Host, InvalidRequest, PermissionDenied, Principal, Reader
from guildhall_sdk.errors import FeatureDisabled
from guildhall_sdk.plugin import Features
from guildhall_sdk.services.search import ReadableNote

PLUGIN_ID = "notes"


class ReadableNotes:
    """Implements the SDK's `Notes`, with the checks that the rows of notes have."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def read(self, reader: Reader, principal: Principal, note_id: str) -> ReadableNote:
        self._check_on(principal)
        if not principal.scope_allows(READ):
            raise PermissionDenied(READ)
        return _readable(await find_readable(reader, principal, note_id))

    async def page(
        self, reader: Reader, principal: Principal, *, before: str | None = None, limit: int = 50
    ) -> Sequence[ReadableNote]:
        self._check_on(principal)
        if not principal.may(READ):
            raise PermissionDenied(READ)
        found = await listing.page(reader, principal, before, limit + 1, ListQuery())
        return [_readable(note) for note in found.notes]

    async def save(
        self, principal: Principal, *, title: str, body: str, note_id: str | None = None
    ) -> ReadableNote:
        self._check_on(principal)
        if not (principal.scope_allows(WRITE) if note_id else principal.may(WRITE)):
            raise PermissionDenied(WRITE)
        if not 0 < len(title) <= MAX_TITLE:
            raise InvalidRequest.at("/title", f"has 1 to {MAX_TITLE} characters")
        if len(body) > MAX_CHARACTERS:
            raise InvalidRequest.at("/body", f"has at most {MAX_CHARACTERS} characters")
        neighbours, fields = Neighbours.of(self._host), {"title": title, "body": body}
        now_ms = self._host.clock.now_ms()
        prepared = await neighbours.index.prepare(principal.org_id, body)
        actor = Actor(principal.username, principal.user_id, principal.org_id, principal.team_id)
        async with self._host.data.write(actor, within=principal.org_id) as writer:
            if note_id is None:
                note_id = (await create(writer, neighbours, principal, fields, now_ms, prepared)).id
            else:
                change = Change(fields, prepared)
                await update(
                    writer,
                    neighbours,
                    principal,
                    note_id,
                    change,
                    check_if_match=lambda _: None,
                    now_ms=now_ms,
                )
            return _readable(await find_readable(writer, principal, note_id))

    def _check_on(self, principal: Principal) -> None:
        off = self._host.service(Features).of(principal).switched_off(PLUGIN_ID)
        if off is not None:
            raise FeatureDisabled(off)


def _readable(note: Note) -> ReadableNote:
    return ReadableNote(id=note.id, title=note.title, body=note.body, updated_at=note.updated_at)
