"""The rows of files."""

from collections.abc import Sequence
from typing import Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.downloads import AsyncDownload
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted, segment, segments
from guildhall_client.types.files import (
    File,
    FileCreatePlaybackReply,
    FileDerivations,
    FileDiff,
    FileLifecycle,
    FileMoveFolderReply,
    FilePage,
    FilePresignReply,
    FileProcessing,
    FileShareReply,
    FileShareReplyItem,
    FileShareTargets,
    FileText,
    SetLifecycleFileRule,
)
from guildhall_client.uploads import Source


class AsyncFiles:
    """Calls of files."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def create_playback(
        self, id: str, *, version: int | Omitted = OMITTED, scope: Literal["team", "org"] | None = None
    ) -> FileCreatePlaybackReply:
        """A path at which a player, which sends no bearer, gets sound or a film, for ten minutes.

        `version`: The number of an older version
        `scope`: org: what is visible to any team of the company
        Needs files:read.
        """
        reply: FileCreatePlaybackReply = await self._api.call(
            "POST",
            f"/api/repo-obj/{segment(id)}/playback",
            query={"scope": scope},
            fields={"version": version},
        )
        return reply

    async def delete(self, id: str, *, keep: bool | None = None) -> None:
        """Delete an object with all its versions; keep=1 only hides it until it is restored.

        `keep`: 1: it can be brought back, and still counts as storage
        Needs files:delete.
        """
        await self._api.call("DELETE", f"/api/repo-obj/{segment(id)}", query={"keep": keep})

    async def derivations(self, id: str) -> FileDerivations:
        """What an object was derived from, and what was derived from it.

        Needs files:read.
        """
        reply: FileDerivations = await self._api.call("GET", f"/api/repo-obj/{segment(id)}/derivations")
        return reply

    async def diff(self, id: str, *, from_: int | None = None, to: int | None = None) -> FileDiff:
        """What changed between two versions of a text, as a unified diff.

        `from_`: The older version; the one before `to` unless told
        `to`: The newer version; the newest unless told
        Needs files:read.
        """
        reply: FileDiff = await self._api.call(
            "GET", f"/api/repo-obj/{segment(id)}/diff", query={"from": from_, "to": to}
        )
        return reply

    def download(
        self, id: str, *, version: int | None = None, scope: Literal["team", "org"] | None = None
    ) -> AsyncDownload:
        """The bytes of an object, or of an older version; one range of them where asked.

        `version`: The number of an older version
        `scope`: org: what is visible to any team of the company
        Needs files:read.
        """
        return AsyncDownload(
            self._api, f"/api/repo-obj/{segment(id)}/content", query={"version": version, "scope": scope}
        )

    async def get(self, id: str, *, scope: Literal["team", "org"] | None = None) -> File:
        """An object's metadata with its versions, newest first.

        `scope`: org: what is visible to any team of the company
        Needs files:read.
        """
        reply: File = await self._api.call("GET", f"/api/repo-obj/{segment(id)}", query={"scope": scope})
        return reply

    def grants(
        self, id: str, *, page_size: int | None = None
    ) -> AsyncPages[FileShareReplyItem, FileShareReply]:
        """Who was granted what on an object, the expired too.

        Needs files:manage.
        """
        return AsyncPages(self._api, f"/api/repo-obj/{segment(id)}/grants", query={"limit": page_size})

    async def lifecycle(self) -> FileLifecycle:
        """For how long the team's bucket keeps old versions and what was deleted, and what would go
        now.

        Needs settings:manage.
        """
        reply: FileLifecycle = await self._api.call("GET", "/api/repo-lifecycle")
        return reply

    async def move(self, id: str, *, key: str) -> File:
        """Give an object another key, with its versions, grants and all that is known of it.

        `key`: Where it goes: a key of the same bucket that nothing has
        Needs files:write.
        """
        reply: File = await self._api.call("POST", f"/api/repo-obj/{segment(id)}/move", fields={"key": key})
        return reply

    async def move_folder(self, *, from_: str, to: str) -> FileMoveFolderReply:
        """Give all objects below a prefix another one, as a job; those that cannot be moved stay.

        `from_`: A prefix of keys that ends with a slash
        `to`: A prefix of keys that ends with a slash
        Needs files:write.
        """
        reply: FileMoveFolderReply = await self._api.call(
            "POST", "/api/repo-folders/move", fields={"from": from_, "to": to}
        )
        return reply

    def play(
        self, id: str, ticket: str, *, version: int | None = None, scope: Literal["team", "org"] | None = None
    ) -> AsyncDownload:
        """Sound or a film, or one range of it, for a player that has a ticket.

        `version`: The number of an older version
        `scope`: org: what is visible to any team of the company
        """
        return AsyncDownload(
            self._api,
            f"/api/repo-obj/{segment(id)}/playback/{segment(ticket)}",
            query={"version": version, "scope": scope},
        )

    async def presign(
        self,
        id: str,
        *,
        expires_in: int | Omitted = OMITTED,
        method: Literal["GET", "PUT"] | Omitted = OMITTED,
        version: int | Omitted = OMITTED,
    ) -> FilePresignReply:
        """A link to an object for a while, signed with the caller's newest S3 key.

        `expires_in`: seconds; 900 unless told otherwise
        `method`: what the link is for; GET unless told otherwise
        `version`: of a version to GET; the newest unless told otherwise
        Needs files:read.
        """
        reply: FilePresignReply = await self._api.call(
            "POST",
            f"/api/repo-obj/{segment(id)}/presign",
            fields={"expires_in": expires_in, "method": method, "version": version},
        )
        return reply

    async def processing(self, id: str) -> FileProcessing:
        """What an object was derived from, what was derived from it, and the runs that touched it.

        Needs files:read.
        """
        reply: FileProcessing = await self._api.call("GET", f"/api/repo-obj/{segment(id)}/processing")
        return reply

    async def restore(self, id: str, *, version: int | Omitted = OMITTED) -> File:
        """Bring back what was deleted, or make an older version the newest again, as a new one.

        `version`: Which one becomes the newest again; without it, what was deleted
        Needs files:read.
        """
        reply: File = await self._api.call(
            "POST", f"/api/repo-obj/{segment(id)}/restore", fields={"version": version}
        )
        return reply

    async def set_lifecycle(self, *, rules: Sequence[SetLifecycleFileRule]) -> FileLifecycle:
        """Set all rules at once; those that throw more away than before hold a day later.

        Needs settings:manage.
        """
        reply: FileLifecycle = await self._api.call("PUT", "/api/repo-lifecycle", fields={"rules": rules})
        return reply

    async def set_visibility(self, id: str, *, visibility: Literal["private", "shared", "team"]) -> File:
        """Make an object private, shared or visible to the team.

        `visibility`: private: the owner alone; shared: also whom it was granted to; team: also the
            team
        Needs files:manage.
        """
        reply: File = await self._api.call(
            "POST", f"/api/repo-obj/{segment(id)}/visibility", fields={"visibility": visibility}
        )
        return reply

    async def share(
        self,
        id: str,
        *,
        capability: Literal["view", "edit", "manage"] | Omitted = OMITTED,
        expires_at: str | Omitted | None = OMITTED,
        principal_id: str | Omitted = OMITTED,
        principal_type: Literal["user", "team"] | Omitted = OMITTED,
        user_id: str | Omitted = OMITTED,
    ) -> FileShareReply:
        """Grant somebody, or a team, a capability on an object; a second time changes it.

        Needs files:manage.
        """
        reply: FileShareReply = await self._api.call(
            "POST",
            f"/api/repo-obj/{segment(id)}/share",
            fields={
                "capability": capability,
                "expires_at": expires_at,
                "principal_id": principal_id,
                "principal_type": principal_type,
                "user_id": user_id,
            },
        )
        return reply

    async def share_targets(self) -> FileShareTargets:
        """Whom an object can be shared with: the team's people and the company's teams.

        Needs files:read.
        """
        reply: FileShareTargets = await self._api.call("GET", "/api/share-targets")
        return reply

    async def text(self, id: str) -> FileText:
        """The text that was read from an object's newest version, once it is indexed.

        Needs files:read.
        """
        reply: FileText = await self._api.call("GET", f"/api/repo-obj/{segment(id)}/text")
        return reply

    def thumbnail(
        self,
        id: str,
        *,
        size: Literal["64", "256", "1024"] | None = None,
        scope: Literal["team", "org"] | None = None,
    ) -> AsyncDownload:
        """A small WebP of a picture, or of the first page of a PDF; 404 where there is none.

        `size`: The longest side is at most so long
        `scope`: org: what is visible to any team of the company
        Needs files:read.
        """
        return AsyncDownload(
            self._api, f"/api/repo-obj/{segment(id)}/thumbnail", query={"size": size, "scope": scope}
        )

    async def unshare(
        self,
        id: str,
        *,
        principal_id: str | Omitted = OMITTED,
        principal_type: Literal["user", "team"] | Omitted = OMITTED,
        user_id: str | Omitted = OMITTED,
    ) -> FileShareReply:
        """Revoke what somebody, or a team, was granted on an object.

        Needs files:manage.
        """
        reply: FileShareReply = await self._api.call(
            "POST",
            f"/api/repo-obj/{segment(id)}/unshare",
            fields={"principal_id": principal_id, "principal_type": principal_type, "user_id": user_id},
        )
        return reply

    async def upload(
        self,
        key: str,
        source: Source,
        *,
        filename: str | None = None,
        visibility: Literal["private", "shared", "team"] | None = None,
        content_type: str | None = None,
    ) -> File:
        """Write the raw body to a key: a new object, or a new version of the one that is there.

        `filename`: What a download is called
        `visibility`: private: the owner alone; shared: also whom it was granted to; team: also the
            team
        Needs files:write.
        """
        reply: File = await self._api.upload(
            "PUT",
            f"/api/repo/{segments(key)}",
            source,
            content_type,
            query={"filename": filename, "visibility": visibility},
        )
        return reply

    def list(
        self,
        *,
        page_size: int | None = None,
        prefix: str | None = None,
        delimiter: Literal["/"] | None = None,
        shared: bool | None = None,
        deleted: bool | None = None,
        scope: Literal["team", "org"] | None = None,
        sort: Literal["name", "size", "updated"] | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncPages[File, FilePage]:
        """The objects that the caller can read, by key; scope=org spans the company.

        `prefix`: Only keys that begin with this
        `delimiter`: /: what lies right below the prefix, and beside it the folders there
        `shared`: 1: only what others granted to the caller
        `deleted`: 1: what was deleted and can be brought back
        `scope`: org: what is visible to any team of the company
        `sort`: name: the key, byte by byte
        Needs files:read.
        """
        return AsyncPages(
            self._api,
            "/api/repo",
            query={
                "limit": page_size,
                "prefix": prefix,
                "delimiter": delimiter,
                "shared": shared,
                "deleted": deleted,
                "scope": scope,
                "sort": sort,
                "order": order,
            },
        )
