"""New versions: of new objects, on top of those that are there, and as copies."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, NamedTuple

from builtin_plugins.repo import finding, grants, keys, provenance, small_blobs
from builtin_plugins.repo.blob_lifecycle import BlobLifecycle
from builtin_plugins.repo.finding import narrower, origin_of, sql
from builtin_plugins.repo.object_row import WRITE, Record, TextStatus, decoded
from builtin_plugins.repo.storage_reservations import STORAGE, reservation_of
from builtin_plugins.repo.texts import Texts, status_of
from guildhall_sdk import (
    Conflict,
    Host,
    InvalidRequest,
    Origin,
    PermissionDenied,
    Principal,
    Reader,
    Writer,
    new_id,
)
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.services.search import PreparedText
from guildhall_sdk.services.stored_objects import (
    NewVersion,
    Precondition,
    Staged,
    StoredVersion,
    Visibility,
)
from guildhall_sdk.subscriptions import OBJECT_WRITTEN, Events, ObjectWritten

CheckRecord = Callable[[Record | None], None]
MAX_ATTRIBUTES = 64 * 1024


class IncomingVersion(NamedTuple):
    """A version on its way to a key; `text` spares the reading of it.

    So many bytes as `counted` stand in the ledger for it already, beside what was reserved for it.
    """

    team_id: str
    key: str
    staged: Staged
    new: NewVersion
    title: str | None = None
    text: str | None = None
    prepared: PreparedText | None = None
    counted: int = 0


class VersionFields(NamedTuple):
    """The fields of a version, with nothing left open."""

    filename: str
    content_type: str
    etag: str
    attributes: str
    title: str | None
    document: bool
    text_status: TextStatus


class Writing:
    """Adds versions. What locks comes in one order: the key, the bytes, and last the ledger of quotas."""

    def __init__(self, host: Host, blobs: BlobLifecycle, texts: Texts) -> None:
        self._host = host
        self._blobs = blobs
        self._texts = texts

    @cached_property
    def _quotas(self) -> Quotas:
        return self._host.service(Quotas)

    @cached_property
    def _lists(self) -> LiveLists:
        return self._host.service(LiveLists)

    @cached_property
    def _events(self) -> Events:
        return self._host.service(Events)

    async def check_right(self, reader: Reader, principal: Principal, team_id: str, key: str) -> None:
        """Raises what `put` would raise for a caller without the right, before the bytes are taken."""
        before = await finding.at_key(reader, principal, team_id, key, self._host.clock.now_ms())
        vacant = before is not None and await finding.is_vacant(reader, before)
        check_right(principal, team_id, None if vacant else before)

    async def put(
        self, writer: Writer, caller: Principal, incoming: IncomingVersion, check: CheckRecord | None = None
    ) -> tuple[Record, bool]:
        """Returns the object with its new version, and whether it is new.

        `check` may refuse what is there now: None for nothing, or for a delete marker.
        """
        team_id, key, staged, new = incoming.team_id, incoming.key, incoming.staged, incoming.new
        keys.check_key(key)
        now = self._host.clock.now_ms()
        await finding.hold_key(writer, team_id, key, small_blobs.lock_of(staged.org_id, staged.sha256))
        before = await finding.at_key(writer, caller, team_id, key, now)
        vacant = before is not None and await finding.is_vacant(writer, before)
        check_right(caller, team_id, None if vacant else before)
        if before is not None and new.visibility is not None and not vacant:
            before.check_visibility(caller, new.visibility)
        if check is not None:
            check(before if before is not None and before.present else None)
        fields = _version_fields(incoming, before)
        await self._blobs.claim_locked(writer, staged)
        if before is None:
            record = await self._create(writer, caller, incoming, fields, now)
        else:
            if vacant:
                before = await self._take_over(writer, caller, before, new, now)
            record = await self._add(writer, caller, before, incoming, fields, now)
        if new.derived_from is not None:
            await provenance.record(writer, caller, record.newest, new.derived_from, now)
        if new.parts:
            await provenance.record_parts(writer, record.newest, new.parts)
        await self._texts.changed(writer, record, caller.user_id, incoming.text, incoming.prepared, before)
        created = before is None or vacant
        await self._emit(writer, caller, record, new, created=created)
        growth, reservation = staged.size - incoming.counted, reservation_of(staged)
        await self._quotas.adjust(writer, record.org_id, record.team_id, STORAGE, growth, reservation)
        return record, created

    @staticmethod
    async def _create(
        writer: Writer, caller: Principal, incoming: IncomingVersion, fields: VersionFields, now: int
    ) -> Record:
        team_id, key, staged = incoming.team_id, incoming.key, incoming.staged
        object_id, version_id = new_id("obj", now), new_id("ver", now)
        origin = await origin_of(writer, caller, incoming.new, now)
        owner_id, visibility, source = origin.owner_id, origin.visibility, origin.source
        version = StoredVersion(
            id=version_id,
            object_id=object_id,
            org_id=caller.org_id,
            team_id=team_id,
            key=key,
            number=1,
            marker=False,
            latest=True,
            sha256=staged.sha256,
            size=staged.size,
            etag=fields.etag,
            content_type=fields.content_type,
            filename=fields.filename,
            attributes=decoded(fields.attributes),
            created_at=now,
            created_by=caller.user_id,
            owner_id=owner_id,
            owner_name=origin.owner_name,
        )
        await writer.run(
            sql.create_object, **_binds(version, fields, staged, visibility), owner_id=owner_id, key=key
        )
        if source is not None:
            await grants.inherit(writer, source, object_id, team_id, key)
        writer.audit("object.created", ("object", object_id), detail={"visibility": visibility})
        if source is not None:
            return await finding.by_id(writer, caller, object_id, now)
        return Record(
            id=object_id,
            org_id=caller.org_id,
            team_id=team_id,
            key=key,
            owner_id=owner_id,
            owner_name=origin.owner_name,
            visibility=visibility,
            revision=1,
            last_number=1,
            text_status=fields.text_status,
            created_at=now,
            updated_at=now,
            newest=version,
            title=fields.title,
            grants=(),
        )

    @staticmethod
    async def _take_over(
        writer: Writer, caller: Principal, before: Record, new: NewVersion, now: int
    ) -> Record:
        """Makes an object like a new one, above the delete markers that were all there was at the key."""
        origin = await origin_of(writer, caller, new, now)
        await writer.run(sql.take_over, id=before.id, org_id=before.org_id, owner_id=origin.owner_id, now=now)
        await grants.drop_all(writer, before)
        if origin.source is not None:
            await grants.inherit(writer, origin.source, before.id, before.team_id, before.key)
        writer.audit("object.created", ("object", before.id), detail={"visibility": origin.visibility})
        taken = await finding.by_id(writer, caller, before.id, now, deleted=True)
        return taken._replace(visibility=origin.visibility)

    @staticmethod
    async def _add(
        writer: Writer,
        caller: Principal,
        before: Record,
        incoming: IncomingVersion,
        fields: VersionFields,
        now: int,
    ) -> Record:
        staged, new = incoming.staged, incoming.new
        at, number = before.next_moment(now), before.last_number + 1
        version = replace(
            before.newest,
            id=new_id("ver", at),
            number=number,
            marker=False,
            latest=True,
            sha256=staged.sha256,
            size=staged.size,
            etag=fields.etag,
            content_type=fields.content_type,
            filename=fields.filename,
            attributes=decoded(fields.attributes),
            created_at=at,
            created_by=caller.user_id,
        )
        visibility = new.visibility or before.visibility
        origin = None if new.derived_from is None else await origin_of(writer, caller, new, now)
        if origin is not None and origin.source is not None:
            visibility = narrower(visibility, origin.visibility)
            await grants.narrow(writer, origin.source, before.id, now)
        await writer.run(
            sql.add_version,
            **_binds(version, fields, staged, visibility),
            old_id=before.newest.id,
            present=1,
        )
        writer.audit("object.written", ("object", before.id), detail={"version": number})
        return before._replace(
            visibility=visibility,
            revision=before.revision + 1,
            last_number=number,
            text_status=fields.text_status,
            updated_at=at,
            newest=version,
            title=fields.title,
        )

    async def _emit(
        self, writer: Writer, caller: Principal, record: Record, new: NewVersion, *, created: bool
    ) -> None:
        writer.after_commit(partial(self._lists.changed, "/api/repo", record.team_id))
        if not self._events.wanted(OBJECT_WRITTEN):
            return
        version = record.newest
        written = ObjectWritten(
            object_id=record.id,
            version_id=version.id,
            number=version.number,
            content_type=version.content_type,
            size=version.size,
            created=created,
            derived=new.derived_from is not None,
            fires_triggers=new.fires_triggers,
            run_id=None if new.derived_from is None else new.derived_from.run_id,
        )
        facts = {"key": record.key, "media_type": keys.media_type(version.content_type)}
        origin = Origin.of(caller, record.team_id)
        await self._events.emit(writer, OBJECT_WRITTEN, written, origin, facts=facts)


def _binds(
    version: StoredVersion, fields: VersionFields, staged: Staged, visibility: Visibility
) -> dict[str, Any]:
    """Returns what is written of an object with its newest version."""
    return {
        "object_id": version.object_id,
        "org_id": version.org_id,
        "team_id": version.team_id,
        "visibility": visibility,
        "document": int(fields.document),
        "text_status": fields.text_status,
        "version_id": version.id,
        "number": version.number,
        "marker": 0,
        "sha256": version.sha256,
        "size": version.size,
        "etag": version.etag,
        "content_type": version.content_type,
        "filename": version.filename,
        "title": fields.title,
        "attributes": fields.attributes,
        "created_by": version.created_by,
        "now": version.created_at,
        "content": small_blobs.content_of(staged),
    }


def record_check(precondition: Precondition) -> CheckRecord | None:
    """Turns a precondition on the newest version into one on the object."""
    if precondition is None:
        return None
    return lambda record: precondition(None if record is None else record.newest)


def check_right(caller: Principal, team_id: str, before: Record | None) -> None:
    """Raises unless the caller may write there. A key that somebody else holds is taken."""
    by_role = caller.team_id == team_id and WRITE in caller.permissions
    if before is None:
        if not by_role:
            raise PermissionDenied(WRITE)
    elif WRITE not in before.rights_of(caller):
        if by_role:
            raise Conflict("Somebody else holds this key; choose another.", code="key_taken")
        raise PermissionDenied(WRITE)


def _version_fields(incoming: IncomingVersion, before: Record | None) -> VersionFields:
    staged, new = incoming.staged, incoming.new
    default = keys.filename_of(incoming.key)
    if before is not None and before.present:
        default = before.newest.filename
    filename = default if new.filename is None else keys.check_filename(new.filename)
    given = new.content_type
    content_type = keys.content_type_of(filename) if given is None else keys.check_content_type(given)
    document = keys.media_type(content_type) == keys.MARKDOWN
    status = status_of(content_type, filename, staged.size, None if before is None else before.text_status)
    return VersionFields(
        filename=filename,
        content_type=content_type,
        etag=new.etag or staged.md5,
        attributes=encoded(new.attributes),
        title=incoming.title,
        document=document,
        text_status=status if incoming.text is None else "indexed",
    )


def encoded(attributes: Mapping[str, Any]) -> str:
    if not attributes:
        return "{}"
    text = json.dumps(dict(attributes), ensure_ascii=False, separators=(",", ":"))
    if len(text.encode()) > MAX_ATTRIBUTES:
        raise InvalidRequest(f"The metadata of a version take at most {MAX_ATTRIBUTES} bytes.")
    return text
