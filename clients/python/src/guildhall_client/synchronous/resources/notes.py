"""The rows of notes."""

from collections.abc import Sequence
from typing import Literal

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.notes import (
    ListedNoteVersion,
    ListedNoteVersionPage,
    Note,
    NoteBeginEditingReply,
    NotePage,
    NoteVersion,
)


class Notes:
    """Calls of notes."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def begin_editing(self, id: str) -> NoteBeginEditingReply:
        """Say that one writes in a note, for 25 seconds; answers with the others who do.

        Needs notes:write.
        """
        reply: NoteBeginEditingReply = self._api.call("POST", f"/api/notes/{segment(id)}/editing")
        return reply

    def create(
        self,
        *,
        title: str,
        body: str | Omitted = OMITTED,
        tags: Sequence[str] | Omitted = OMITTED,
        visibility: Literal["private", "team"] | Omitted = OMITTED,
    ) -> Note:
        """Create a note, private unless told otherwise.

        `tags`: In place of those before
        `visibility`: private: the owner and whom they share it with
        Needs notes:write.
        """
        reply: Note = self._api.call(
            "POST",
            "/api/notes",
            fields={"body": body, "tags": tags, "title": title, "visibility": visibility},
        )
        return reply

    def delete(self, id: str, *, forever: bool | None = None) -> None:
        """Delete a note: it lies in the bin for 30 days. forever=1 takes it out of there for good.

        `forever`: 1: for good, of what lies in the bin
        Needs notes:delete.
        """
        self._api.call("DELETE", f"/api/notes/{segment(id)}", query={"forever": forever})

    def editing(self, id: str, *, scope: Literal["team", "org"] | None = None) -> NoteBeginEditingReply:
        """The others who write in a note just now.

        `scope`: org: what is visible to any team of the company
        Needs notes:read.
        """
        reply: NoteBeginEditingReply = self._api.call(
            "GET", f"/api/notes/{segment(id)}/editing", query={"scope": scope}
        )
        return reply

    def end_editing(self, id: str) -> None:
        """Say that one writes in a note no more.

        Needs notes:write.
        """
        self._api.call("DELETE", f"/api/notes/{segment(id)}/editing")

    def get(self, id: str, *, scope: Literal["team", "org"] | None = None) -> Note:
        """One note.

        `scope`: org: what is visible to any team of the company
        Needs notes:read.
        """
        reply: Note = self._api.call("GET", f"/api/notes/{segment(id)}", query={"scope": scope})
        return reply

    def restore(self, id: str) -> Note:
        """Take a note out of the bin.

        Needs notes:delete.
        """
        reply: Note = self._api.call("POST", f"/api/notes/{segment(id)}/restore")
        return reply

    def restore_version(self, id: str, number: int) -> Note:
        """Give a note the title, text and tags of an older version, as a new one.

        Needs notes:write.
        """
        reply: Note = self._api.call("POST", f"/api/notes/{segment(id)}/versions/{segment(number)}/restore")
        return reply

    def share(
        self,
        id: str,
        *,
        permission: Literal["notes:delete", "notes:manage", "notes:read", "notes:write"],
        user_id: str,
    ) -> Note:
        """Share a note with somebody of the company; a second time changes what they may do.

        Needs notes:manage.
        """
        reply: Note = self._api.call(
            "POST", f"/api/notes/{segment(id)}/share", fields={"permission": permission, "user_id": user_id}
        )
        return reply

    def unshare(self, id: str, *, user_id: str) -> None:
        """End a share.

        Needs notes:manage.
        """
        self._api.call("DELETE", f"/api/notes/{segment(id)}/share", fields={"user_id": user_id})

    def update(
        self,
        id: str,
        *,
        body: str | Omitted = OMITTED,
        tags: Sequence[str] | Omitted = OMITTED,
        title: str | Omitted = OMITTED,
        visibility: Literal["private", "team"] | Omitted = OMITTED,
        autosave: bool | None = None,
    ) -> Note:
        """Change a note; fields that are left out stay as they are.

        `tags`: In place of those before
        `visibility`: private: the owner and whom they share it with
        `autosave`: 1: saved while somebody types; what its writer autosaves within ten minutes is
            one version
        Needs notes:write.
        """
        reply: Note = self._api.call(
            "PUT",
            f"/api/notes/{segment(id)}",
            query={"autosave": autosave},
            fields={"body": body, "tags": tags, "title": title, "visibility": visibility},
        )
        return reply

    def version(self, id: str, number: int) -> NoteVersion:
        """One version of a note, with its text.

        Needs notes:read.
        """
        reply: NoteVersion = self._api.call("GET", f"/api/notes/{segment(id)}/versions/{segment(number)}")
        return reply

    def versions(
        self, id: str, *, page_size: int | None = None
    ) -> Pages[ListedNoteVersion, ListedNoteVersionPage]:
        """The versions of a note, the one that it has now first.

        Needs notes:read.
        """
        return Pages(self._api, f"/api/notes/{segment(id)}/versions", query={"limit": page_size})

    def list(
        self,
        *,
        page_size: int | None = None,
        scope: Literal["team", "org"] | None = None,
        sort: Literal["updated", "created", "title"] | None = None,
        tag: str | None = None,
        deleted: bool | None = None,
    ) -> Pages[Note, NotePage]:
        """The notes that the caller can read, newest first; scope=org spans the company, deleted=1
        the bin.

        `scope`: org: what is visible to any team of the company
        `sort`: created and updated: the newest first; title: from A on
        `tag`: Only notes with this tag, without case
        `deleted`: 1: the bin, what was deleted last first
        Needs notes:read.
        """
        return Pages(
            self._api,
            "/api/notes",
            query={"limit": page_size, "scope": scope, "sort": sort, "tag": tag, "deleted": deleted},
        )
