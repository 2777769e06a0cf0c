"""The rows of notes."""

from collections.abc import Sequence
from typing import Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.notes import (
    ListedNoteVersion,
    ListedNoteVersionPage,
    Note,
    NoteBeginEditingReply,
    NotePage,
    NoteVersion,
)


class AsyncNotes:
    """Calls of notes."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def begin_editing(self, id: str) -> NoteBeginEditingReply:
        """Say that one writes in a note, for 25 seconds; answers with the others who do.

        Needs notes:write.
        """
        reply: NoteBeginEditingReply = await self._api.call("POST", f"/api/notes/{segment(id)}/editing")
        return reply

    async def create(
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
        reply: Note = await self._api.call(
            "POST",
            "/api/notes",
            fields={"body": body, "tags": tags, "title": title, "visibility": visibility},
        )
        return reply

    async def delete(self, id: str, *, forever: bool | None = None) -> None:
        """Delete a note: it lies in the bin for 30 days. forever=1 takes it out of there for good.

        `forever`: 1: for good, of what lies in the bin
        Needs notes:delete.
        """
        await self._api.call("DELETE", f"/api/notes/{segment(id)}", query={"forever": forever})

    async def editing(self, id: str, *, scope: Literal["team", "org"] | None = None) -> NoteBeginEditingReply:
        """The others who write in a note just now.

        `scope`: org: what is visible to any team of the company
        Needs notes:read.
        """
        reply: NoteBeginEditingReply = await self._api.call(
            "GET", f"/api/notes/{segment(id)}/editing", query={"scope": scope}
        )
        return reply

    async def end_editing(self, id: str) -> None:
        """Say that one writes in a note no more.

        Needs notes:write.
        """
        await self._api.call("DELETE", f"/api/notes/{segment(id)}/editing")

    async def get(self, id: str, *, scope: Literal["team", "org"] | None = None) -> Note:
        """One note.

        `scope`: org: what is visible to any team of the company
        Needs notes:read.
        """
        reply: Note = await self._api.call("GET", f"/api/notes/{segment(id)}", query={"scope": scope})
        return reply

    async def restore(self, id: str) -> Note:
        """Take a note out of the bin.

        Needs notes:delete.
        """
        reply: Note = await self._api.call("POST", f"/api/notes/{segment(id)}/restore")
        return reply

    async def restore_version(self, id: str, number: int) -> Note:
        """Give a note the title, text and tags of an older version, as a new one.

        Needs notes:write.
        """
        reply: Note = await self._api.call(
            "POST", f"/api/notes/{segment(id)}/versions/{segment(number)}/restore"
        )
        return reply

    async def share(
        self,
        id: str,
        *,
        permission: Literal["notes:delete", "notes:manage", "notes:read", "notes:write"],
        user_id: str,
    ) -> Note:
        """Share a note with somebody of the company; a second time changes what they may do.

        Needs notes:manage.
        """
        reply: Note = await self._api.call(
            "POST", f"/api/notes/{segment(id)}/share", fields={"permission": permission, "user_id": user_id}
        )
        return reply

    async def unshare(self, id: str, *, user_id: str) -> None:
        """End a share.

        Needs notes:manage.
        """
        await self._api.call("DELETE", f"/api/notes/{segment(id)}/share", fields={"user_id": user_id})

    async def update(
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
        reply: Note = await self._api.call(
            "PUT",
            f"/api/notes/{segment(id)}",
            query={"autosave": autosave},
            fields={"body": body, "tags": tags, "title": title, "visibility": visibility},
        )
        return reply

    async def version(self, id: str, number: int) -> NoteVersion:
        """One version of a note, with its text.

        Needs notes:read.
        """
        reply: NoteVersion = await self._api.call(
            "GET", f"/api/notes/{segment(id)}/versions/{segment(number)}"
        )
        return reply

    def versions(
        self, id: str, *, page_size: int | None = None
    ) -> AsyncPages[ListedNoteVersion, ListedNoteVersionPage]:
        """The versions of a note, the one that it has now first.

        Needs notes:read.
        """
        return AsyncPages(self._api, f"/api/notes/{segment(id)}/versions", query={"limit": page_size})

    def list(
        self,
        *,
        page_size: int | None = None,
        scope: Literal["team", "org"] | None = None,
        sort: Literal["updated", "created", "title"] | None = None,
        tag: str | None = None,
        deleted: bool | None = None,
    ) -> AsyncPages[Note, NotePage]:
        """The notes that the caller can read, newest first; scope=org spans the company, deleted=1
        the bin.

        `scope`: org: what is visible to any team of the company
        `sort`: created and updated: the newest first; title: from A on
        `tag`: Only notes with this tag, without case
        `deleted`: 1: the bin, what was deleted last first
        Needs notes:read.
        """
        return AsyncPages(
            self._api,
            "/api/notes",
            query={"limit": page_size, "scope": scope, "sort": sort, "tag": tag, "deleted": deleted},
        )
