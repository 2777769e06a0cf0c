"""Notes, as search finds them."""

from builtin_plugins.notes.note import READ, Note
from builtin_plugins.notes.statements import sql
from guildhall_sdk import SearchSource
from guildhall_sdk.services.search import Findable, PreparedText

TYPE = "note"

SOURCES = (
    SearchSource(
        TYPE,
        READ,
        "/api/notes/{id}",
        sql.findable,
        sql.findable_in_org,
        every=sql.every_note,
        few=sql.few_notes,
    ),
)


def findable(note: Note, prepared: PreparedText | None = None, *, new: bool = False) -> Findable:
    return Findable(TYPE, note.id, note.org_id, note.team_id, note.title, note.body, prepared, new=new)
