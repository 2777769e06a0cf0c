"""Delete markers, deleting for good, and a deleted team's objects that go to another team's bucket."""

from functools import partial
from typing import Literal

from builtin_plugins.repo import finding, keys
from builtin_plugins.repo.blob_lifecycle import BlobLifecycle
from builtin_plugins.repo.finding import sql
from builtin_plugins.repo.keys import LONGEST_KEY
from builtin_plugins.repo.object_row import DELETE, READ, WRITE, Record
from builtin_plugins.repo.storage_reservations import STORAGE
from builtin_plugins.repo.texts import Texts, status_of
from builtin_plugins.repo.writing import CheckRecord
from guildhall_sdk import Conflict, Host, NotFound, Origin, PermissionDenied, Principal, Writer, new_id
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.plugin import TeamContent, TeamMove
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.services.stored_objects import Precondition, StoredVersion
from guildhall_sdk.subscriptions import OBJECT_DELETED, Events, ObjectDeleted


class Removing:
    """Takes versions away. The storage that they took is given back, every version's own."""

    def __init__(self, host: Host, blobs: BlobLifecycle, texts: Texts) -> None:
        self._host = host
        self._blobs = blobs
        self._texts = texts

    async def mark(
        self,
        writer: Writer,
        caller: Principal,
        team_id: str,
        key: str,
        precondition: Precondition = None,
    ) -> StoredVersion | None:
        record = await self._hold(writer, caller, team_id, key)
        if precondition is not None:
            precondition(None if record is None else record.newest)
        if record is None:
            # A condition on what never was holds, also when the call is repeated: a marker would fail it.
            return None if precondition is not None else await self._mark_new(writer, caller, team_id, key)
        now, number = record.next_moment(self._host.clock.now_ms()), record.last_number + 1
        version_id = new_id("ver", now)
        filename, content_type = record.newest.filename, record.newest.content_type
        await self._insert_marker(
            writer, caller, record.id, version_id, number=number, named=(filename, content_type), now=now
        )
        await finding.supersede(writer, record, now)
        await self._point_at(writer, record, version_id, number, present=False, now=now)
        await self._texts.gone(writer, record.id)
        marked = await self._marked(writer, caller, team_id, key, now)
        await self._emit(writer, caller, marked, "marker")
        return marked

    async def mark_by_id(
        self, writer: Writer, caller: Principal, object_id: str, check: CheckRecord | None = None
    ) -> None:
        """Hides an object under a delete marker; one that has one already is not there."""
        record = await finding.hold_object(writer, caller, object_id, self._host.clock.now_ms())
        record.require(DELETE, caller)
        if check is not None:
            check(record)
        await self.mark(writer, caller, record.team_id, record.key)

    async def bring_back(self, writer: Writer, caller: Principal, record: Record) -> None:
        """Takes the delete markers away that lie above the newest content; raises `NotFound` without any."""
        record.require(DELETE, caller)
        if await finding.is_vacant(writer, record):
            raise NotFound()
        if not record.newest.marker:
            return
        # However many there are: deleting over S3 adds one each time.
        await writer.run(
            sql.delete_markers_on_top, id=record.id, org_id=record.org_id, newest_id=record.newest.id
        )
        await self.delete_version(writer, caller, record.team_id, record.key, record.newest.id)
        if await finding.newest_version(writer, record) is None:
            raise NotFound()

    async def delete_version(
        self,
        writer: Writer,
        caller: Principal,
        team_id: str,
        key: str,
        version_id: str,
        precondition: Precondition = None,
    ) -> StoredVersion | None:
        record = await self._hold(writer, caller, team_id, key)
        found = None if record is None else await finding.version_by_id(writer, record, version_id)
        if precondition is not None:
            precondition(found)
        if record is None or found is None:
            return None
        await writer.run(sql.delete_version, version_id=found.id, id=record.id, org_id=record.org_id)
        writer.audit("object.version_deleted", ("object", record.id), detail={"version": found.number})
        left = await finding.newest_version(writer, record)
        if left is None:
            await self._forget(writer, record)
        else:
            if found.latest:
                await self._uncover(writer, caller, record, left)
            if not found.marker:
                await writer.run(sql.vacate, id=record.id, org_id=record.org_id)
        await self._emit(writer, caller, found, "object" if left is None else "version")
        if not found.marker:
            await self._blobs.release(writer, record.org_id, [found.sha256])
            await self._give_back(writer, record, found.size)
        return found

    async def delete(
        self,
        writer: Writer,
        caller: Principal,
        object_id: str,
        check: CheckRecord | None = None,
    ) -> None:
        record = await finding.hold_object(writer, caller, object_id, self._host.clock.now_ms(), deleted=True)
        if await finding.is_vacant(writer, record):
            record.require(READ, caller)
            _require_could_own(caller, record.team_id)
        else:
            record.require(DELETE, caller)
        if check is not None:
            check(record if record.present else None)
        rows = await writer.all(sql.bytes_of, id=record.id, org_id=record.org_id)
        await self._forget(writer, record)
        writer.audit("object.deleted", ("object", record.id))
        await self._emit(writer, caller, record.newest, "object")
        await self._blobs.release(writer, record.org_id, (row["sha256"] for row in rows))
        await self._give_back(writer, record, sum(row["size"] for row in rows))

    async def _mark_new(self, writer: Writer, caller: Principal, team_id: str, key: str) -> StoredVersion:
        """Marks a key that never was. That gives nobody the key: whoever writes there first owns it."""
        now = self._host.clock.now_ms()
        object_id, version_id = new_id("obj", now), new_id("ver", now)
        await writer.run(
            sql.insert_deleted_object,
            id=object_id,
            org_id=caller.org_id,
            team_id=team_id,
            owner_id=caller.user_id,
            key=key,
            newest_id=version_id,
            now=now,
        )
        filename = keys.filename_of(key)
        content_type = keys.content_type_of(filename)
        await self._insert_marker(
            writer, caller, object_id, version_id, number=1, named=(filename, content_type), now=now
        )
        marked = await self._marked(writer, caller, team_id, key, now)
        await self._emit(writer, caller, marked, "marker")
        return marked

    @staticmethod
    async def _insert_marker(
        writer: Writer,
        caller: Principal,
        object_id: str,
        version_id: str,
        *,
        number: int,
        named: tuple[str, str],
        now: int,
    ) -> None:
        filename, content_type = named
        await writer.run(
            sql.insert_version,
            version_id=version_id,
            object_id=object_id,
            org_id=caller.org_id,
            number=number,
            marker=1,
            sha256="",
            size=0,
            etag="",
            content_type=content_type,
            filename=filename,
            title=None,
            attributes="{}",
            created_by=caller.user_id,
            now=now,
        )
        writer.audit("object.marked_deleted", ("object", object_id), detail={"version": number})

    @staticmethod
    async def _marked(writer: Writer, caller: Principal, team_id: str, key: str, now: int) -> StoredVersion:
        marked = await finding.at_key(writer, caller, team_id, key, now)
        assert marked is not None
        return marked.newest

    async def _hold(self, writer: Writer, caller: Principal, team_id: str, key: str) -> Record | None:
        keys.check_key(key)
        await finding.hold_key(writer, team_id, key)
        record = await finding.at_key(writer, caller, team_id, key, self._host.clock.now_ms())
        if record is None or await finding.is_vacant(writer, record):
            _require_could_own(caller, team_id)
        elif DELETE not in record.rights_of(caller):
            raise PermissionDenied(DELETE)
        return record

    async def _uncover(self, writer: Writer, caller: Principal, record: Record, left: StoredVersion) -> None:
        """Makes an older version the newest; its text has to be read again."""
        now = self._host.clock.now_ms()
        await writer.run(sql.uncover, version_id=left.id, id=record.id, org_id=record.org_id)
        await self._point_at(writer, record, left.id, left.number, present=not left.marker, now=now)
        uncovered = await finding.at_key(writer, caller, record.team_id, record.key, now)
        assert uncovered is not None
        if uncovered.present:
            await self._texts.changed(writer, uncovered, caller.user_id)
        else:
            await self._texts.gone(writer, record.id)

    async def _point_at(
        self, writer: Writer, record: Record, version_id: str, number: int, *, present: bool, now: int
    ) -> None:
        newest = await finding.version_by_id(writer, record, version_id)
        assert newest is not None
        status = status_of(newest.content_type, newest.filename, newest.size, record.text_status)
        await writer.run(
            sql.point_at,
            object_id=record.id,
            org_id=record.org_id,
            version_id=version_id,
            number=number,
            present=int(present),
            document=int(present and keys.media_type(newest.content_type) == keys.MARKDOWN),
            size=newest.size,
            visibility=record.visibility,
            text_status=status,
            now=now,
        )

    async def _forget(self, writer: Writer, record: Record) -> None:
        await self._texts.gone(writer, record.id)
        await writer.run(sql.delete_object, id=record.id, org_id=record.org_id)

    async def _emit(
        self,
        writer: Writer,
        caller: Principal,
        version: StoredVersion,
        deleted: Literal["marker", "version", "object"],
    ) -> None:
        writer.after_commit(partial(self._host.service(LiveLists).changed, "/api/repo", version.team_id))
        events = self._host.service(Events)
        if not events.wanted(OBJECT_DELETED):
            return
        # Of a whole object no version is named: all of them are gone.
        version_id = None if deleted == "object" else version.id
        payload = ObjectDeleted(object_id=version.object_id, version_id=version_id, deleted=deleted)
        await events.emit(writer, OBJECT_DELETED, payload, Origin.of(caller, version.team_id))

    async def _give_back(self, writer: Writer, record: Record, size: int) -> None:
        await self._host.service(Quotas).adjust(writer, record.org_id, record.team_id, STORAGE, -size)


def _require_could_own(caller: Principal, team_id: str) -> None:
    """Raises unless the caller could own something there: only they may learn that there is nothing."""
    by_role = caller.team_id == team_id and (caller.may(DELETE) or caller.may(WRITE))
    if not (by_role and caller.scope_allows(DELETE)):
        raise PermissionDenied(DELETE)


_THEN = (
    sql.move_old_versions,
    sql.move_grants,
    sql.drop_double_grants,
    sql.move_given,
    sql.drop_lifecycle,
)


async def move(host: Host, writer: Writer, how: TeamMove) -> None:
    """Moves every object to its key; where that is taken, below a folder with the old team's slug."""
    binds = {"org_id": how.source.org_id, "source": how.source.id, "target": how.target.id}
    folder = f"{how.source.slug}/"
    clash = await writer.value(sql.clashing_key, **binds, folder=folder, longest=LONGEST_KEY)
    if clash is not None:
        raise Conflict(
            f"{how.target.name} has a file at this key, and in the folder {folder} too; rename one: {clash}",
            code="key_taken",
        )
    await writer.run(sql.move_objects, **binds, folder=folder)
    for statement in _THEN:
        await writer.run(statement, **binds)


CONTENT = TeamContent(name="files", held=sql.held_by_team, move=move)
