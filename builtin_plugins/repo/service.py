"""The repository as other plugins see it: the SDK's `Repository`."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from builtin_plugins.repo import finding, keys, lifecycle, listing, provenance, reading, small_blobs
from builtin_plugins.repo.blob_lifecycle import BlobLifecycle, TakenAway
from builtin_plugins.repo.finding import sql
from builtin_plugins.repo.lifecycle_sweep import LifecycleUpkeep
from builtin_plugins.repo.moving import Moving
from builtin_plugins.repo.object_row import READ, WRITE, Record
from builtin_plugins.repo.reading import Unread
from builtin_plugins.repo.removing import Removing
from builtin_plugins.repo.texts import OBJECTS, Texts
from builtin_plugins.repo.thumbnails import Thumbnails
from builtin_plugins.repo.writing import IncomingVersion, Writing, encoded, record_check
from guildhall_sdk import Actor, Host, NotFound, PermissionDenied, Principal, Reader, Statement, Writer
from guildhall_sdk.services.stored_objects import (
    LifecycleRule,
    NewVersion,
    Precondition,
    ReadText,
    Staged,
    StoredObject,
    StoredVersion,
    VersionPart,
)
from libs.streams import OneChunk


class StoredRepository:
    """One for each server. The parts are open to this plugin's own handlers."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.blobs = BlobLifecycle(host)
        self.texts = Texts(host, self.blobs)
        self.unread = Unread(host, self.texts)
        self.writing = Writing(host, self.blobs, self.texts)
        self.removing = Removing(host, self.blobs, self.texts)
        self.moving = Moving(host, self.texts)
        self.thumbnails = Thumbnails(host, self.texts)
        self.lifecycles = LifecycleUpkeep(host, self.blobs)
        self.stage = self.blobs.stage
        self.discard = self.blobs.discard
        self.hold = self.blobs.hold
        self.let_go = self.blobs.let_go
        self.check_key = keys.check_key
        self.check_right = self.writing.check_right
        self.extraction = self.texts.extraction

    @property
    def readable(self) -> Statement:
        return OBJECTS.readable

    @property
    def readable_in_org(self) -> Statement:
        return OBJECTS.readable_in_org

    async def put(
        self,
        writer: Writer,
        principal: Principal,
        team_id: str,
        key: str,
        staged: Staged,
        new: NewVersion,
        precondition: Precondition = None,
        *,
        counted: int = 0,
    ) -> StoredVersion:
        incoming = IncomingVersion(team_id=team_id, key=key, staged=staged, new=new, counted=counted)
        check = record_check(precondition)
        record, _ = await self.writing.put(writer, principal, incoming, check)
        return record.newest

    async def write(
        self,
        principal: Principal,
        actor: Actor,
        team_id: str,
        key: str,
        chunks: AsyncIterator[bytes],
        new: NewVersion,
        precondition: Precondition = None,
        *,
        length: int | None = None,
    ) -> StoredVersion:
        keys.check_key(key)
        async with self._host.data.read() as reader:
            await self.writing.check_right(reader, principal, team_id, key)
        staged = await self.stage(principal.org_id, team_id, chunks, length=length)
        try:
            async with self._host.data.write(actor, within=principal.org_id) as writer:
                return await self.put(writer, principal, team_id, key, staged, new, precondition=precondition)
        except BaseException:
            await self.give_up(staged)
            raise

    async def give_up(self, staged: Staged) -> None:
        """Discards staged bytes, to its end even when the caller is cancelled meanwhile."""
        await asyncio.shield(asyncio.create_task(self.discard(staged)))

    async def copy(
        self,
        writer: Writer,
        principal: Principal,
        source: StoredVersion,
        team_id: str,
        key: str,
        new: NewVersion,
        precondition: Precondition = None,
    ) -> StoredVersion:
        if source.marker or source.org_id != principal.org_id:
            raise NotFound()
        same = Staged(source.org_id, source.sha256, source.size, source.etag)
        try:
            return await self.put(writer, principal, team_id, key, same, new, precondition=precondition)
        except TakenAway as gone:
            raise NotFound("What was to be copied is gone.") from gone

    async def restore_version(
        self, writer: Writer, principal: Principal, record: Record, number: int
    ) -> Record:
        """Makes an older version of an object that is held the newest again, as a new one."""
        record.require(WRITE, principal)
        old = await finding.version(writer, record, number)
        same = Staged(old.org_id, old.sha256, old.size, old.etag)
        new = NewVersion(old.filename, old.content_type, attributes=old.attributes)
        incoming = IncomingVersion(
            team_id=record.team_id, key=record.key, staged=same, new=new, title=record.title
        )
        restored, _ = await self.writing.put(writer, principal, incoming)
        return restored

    async def get(self, reader: Reader, principal: Principal, object_id: str) -> StoredObject:
        return await self.require(reader, principal, object_id, READ)

    async def require(self, reader: Reader, principal: Principal, object_id: str, right: str) -> StoredObject:
        record = await finding.by_id(reader, principal, object_id, self._now())
        record.require(right, principal)
        return record.stored()

    async def version(
        self, reader: Reader, principal: Principal, object_id: str, number: int
    ) -> StoredVersion:
        record = await finding.readable(reader, principal, object_id, self._now())
        return await finding.version(reader, record, number)

    async def at_key(
        self,
        reader: Reader,
        principal: Principal,
        team_id: str,
        key: str,
        version_id: str | None = None,
        *,
        content: bool = False,
    ) -> StoredVersion:
        content = content and version_id is None
        record = await finding.at_key(reader, principal, team_id, key, self._now(), content=content)
        if record is None:
            raise NotFound()
        if READ not in record.rights_of(principal):
            raise PermissionDenied(READ)
        if version_id is None:
            return record.newest
        found = await finding.version_by_id(reader, record, version_id)
        if found is None:
            raise NotFound("The object has no such version.")
        return found

    async def parts(
        self, reader: Reader, version: StoredVersion, *, after: int = 0, limit: int = 1000
    ) -> Sequence[VersionPart]:
        return await provenance.parts_of(reader, version, after, limit)

    def open(self, version: StoredVersion, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        if version.content is not None:
            return OneChunk(small_blobs.verified(version.content, version.sha256)[start:end])
        return self.blobs.open(version.org_id, version.sha256, version.size, start, end)

    def open_staged(self, staged: Staged) -> AsyncIterator[bytes]:
        if staged.content is not None:
            return OneChunk(staged.content)
        return self.blobs.open(staged.org_id, staged.sha256, staged.size)

    async def set_attributes(
        self, writer: Writer, principal: Principal, version: StoredVersion, attributes: Mapping[str, Any]
    ) -> None:
        record = await finding.hold_object(writer, principal, version.object_id, self._now(), deleted=True)
        record.require(WRITE, principal)
        changed = await writer.one(
            sql.set_attributes,
            version_id=version.id,
            id=record.id,
            org_id=record.org_id,
            attributes=encoded(attributes),
        )
        if changed is None:
            raise NotFound("The object has no such version.")

    async def mark_deleted(
        self,
        writer: Writer,
        principal: Principal,
        team_id: str,
        key: str,
        precondition: Precondition = None,
    ) -> StoredVersion | None:
        return await self.removing.mark(writer, principal, team_id, key, precondition)

    async def delete_version(
        self,
        writer: Writer,
        principal: Principal,
        team_id: str,
        key: str,
        version_id: str,
        precondition: Precondition = None,
    ) -> StoredVersion | None:
        return await self.removing.delete_version(writer, principal, team_id, key, version_id, precondition)

    async def delete(
        self,
        writer: Writer,
        principal: Principal,
        object_id: str,
        precondition: Precondition = None,
    ) -> None:
        check = record_check(precondition)
        await self.removing.delete(writer, principal, object_id, check)

    async def keys(
        self,
        reader: Reader,
        principal: Principal,
        team_id: str,
        *,
        prefix: str = "",
        start: str = "",
        limit: int = 1000,
        delimiter: str = "",
    ) -> Sequence[StoredVersion]:
        scope = listing.in_bucket(principal, team_id)
        place = {"prefix": prefix, "start": start, "delimiter": delimiter}
        return await listing.newest(reader, principal, scope, self._now(), **place, limit=limit)

    async def versions(
        self,
        reader: Reader,
        principal: Principal,
        team_id: str,
        *,
        prefix: str = "",
        start: str = "",
        after_version: str | None = None,
        limit: int = 1000,
    ) -> Sequence[StoredVersion]:
        return await listing.versions(
            reader,
            principal,
            listing.in_bucket(principal, team_id),
            self._now(),
            prefix=prefix,
            start=start,
            after_version=after_version,
            limit=limit,
        )

    async def text(self, reader: Reader, principal: Principal, object_id: str) -> str | None:
        return await self.texts.of(reader, await finding.readable(reader, principal, object_id, self._now()))

    async def read_text(self, principal: Principal, object_id: str) -> ReadText:
        return await reading.read_text(self._host, self.texts, principal, object_id)

    async def derived_in(
        self, reader: Reader, principal: Principal, object_id: str, step: str
    ) -> Mapping[str, str]:
        source = await finding.readable(reader, principal, object_id, self._now())
        return await provenance.derived_in_step(reader, source, step)

    async def hold_version(self, writer: Writer, org_id: str, object_id: str, number: int) -> bool:
        return await provenance.hold_version(writer, org_id, object_id, number)

    async def lifecycle(self, reader: Reader, principal: Principal) -> Sequence[LifecycleRule]:
        return (await lifecycle.of_team(reader, principal.team_id, principal.org_id)).rules

    async def set_lifecycle(
        self, writer: Writer, principal: Principal, rules: Sequence[LifecycleRule]
    ) -> None:
        await lifecycle.set_rules(writer, principal, rules, self._now())

    async def set_visibility(self, writer: Writer, record: Record, visibility: str) -> None:
        """Sets who sees an object that is held, for a caller who decides it."""
        if visibility == record.visibility:
            return
        await writer.run(
            sql.set_visibility, id=record.id, org_id=record.org_id, visibility=visibility, now=self._now()
        )
        detail = {"from": record.visibility, "to": visibility}
        writer.audit("object.visibility_changed", ("object", record.id), detail=detail)

    def _now(self) -> int:
        return self._host.clock.now_ms()
