"""Finds objects and their versions for one caller, and whose a new object is and who sees it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from builtin_plugins.repo.object_row import READ, Record, record_from, version_from
from guildhall_sdk import (
    Host,
    NotFound,
    PermissionDenied,
    Principal,
    Reader,
    Unavailable,
    Writer,
    load_queries,
)
from guildhall_sdk.services.stored_objects import NewVersion, StoredVersion, Visibility
from guildhall_sdk.subscriptions import ObjectDeleted, ObjectMoved, ObjectWritten

sql = load_queries(Path(__file__).with_name("objects.sql"))

MAX_VERSIONS = 1000
MAX_VERSIONS_IN_A_LIST = 50


class Asker(Protocol):
    """Whose grants matter: a caller, or a job on behalf of one."""

    @property
    def org_id(self) -> str: ...

    @property
    def team_id(self) -> str: ...

    @property
    def user_id(self) -> str: ...


async def at_key(
    reader: Reader, caller: Asker, team_id: str, key: str, now_ms: int, *, content: bool = False
) -> Record | None:
    """Returns what stands at a key, whoever may see it; with `content`, with its bytes where they are few."""
    row = await reader.one(
        sql.by_key_with_content if content else sql.by_key,
        team_id=team_id,
        key=key,
        org_id=caller.org_id,
        user_id=caller.user_id,
        my_team=caller.team_id,
    )
    return None if row is None else record_from(row, now_ms)


async def is_vacant(reader: Reader, record: Record) -> bool:
    """Tells whether only delete markers, which the team sees, are there: such a key is held by nobody."""
    if record.present or record.visibility != "team":
        return False
    return await reader.one(sql.any_content, id=record.id, org_id=record.org_id) is None


async def by_id(
    reader: Reader, caller: Asker, object_id: str, now_ms: int, *, deleted: bool = False
) -> Record:
    """Returns an object, whoever may see it; one with a delete marker on top only for `deleted`."""
    row = await reader.one(
        sql.by_id, id=object_id, org_id=caller.org_id, user_id=caller.user_id, my_team=caller.team_id
    )
    if row is None or (row["marker"] and not deleted):
        raise NotFound()
    return record_from(row, now_ms)


async def readable(
    reader: Reader, caller: Principal, object_id: str, now_ms: int, *, across_company: bool = False
) -> Record:
    record = await by_id(reader, caller, object_id, now_ms)
    record.require(READ, caller, across_company=across_company)
    return record


async def may_hear(
    host: Host, reader: Reader, principal: Principal, payload: ObjectWritten | ObjectMoved | ObjectDeleted
) -> bool:
    """Tells whether somebody may hear of an object: who may read it, be it deleted.

    Of one that is gone for good nothing but its id is left; that is for whoever reads the team's files.
    """
    try:
        record = await by_id(reader, principal, payload.object_id, host.clock.now_ms(), deleted=True)
        record.require(READ, principal)
    except NotFound:
        gone = isinstance(payload, ObjectDeleted) and payload.deleted == "object"
        return gone and principal.may(READ)
    except PermissionDenied:
        return False
    return True


async def hold_object(
    writer: Writer,
    caller: Asker,
    object_id: str,
    now_ms: int,
    *,
    deleted: bool = False,
    also_key: str | None = None,
) -> Record:
    """Returns the object as it is until the transaction ends; `also_key` is locked with its own.

    Keys are locked in one order, so that nobody deadlocks. Raises `Unavailable` for an object that was moved
    to a key before that order's next one meanwhile.
    """
    record = await by_id(writer, caller, object_id, now_ms, deleted=True)
    held: set[str] = set()
    while record.key not in held:
        wanted = {record.key} if also_key is None else {record.key, also_key}
        if held and min(wanted - held) < max(held):
            raise Unavailable("It was moved meanwhile; try again.")
        for key in sorted(wanted - held):
            await hold_key(writer, record.team_id, key)
        held |= wanted
        record = await by_id(writer, caller, object_id, now_ms, deleted=deleted)
    return record


async def hold_key(writer: Writer, team_id: str, key: str) -> None:
    """Locks what stands at the key until the transaction ends."""
    await writer.serialize(f"object:{team_id}:{key}")


async def supersede(writer: Writer, record: Record, now_ms: int) -> None:
    """Records that the newest version of an object that is held is an old one from now on."""
    await writer.run(
        sql.supersede,
        old_id=record.newest.id,
        object_id=record.id,
        org_id=record.org_id,
        team_id=record.team_id,
        now=now_ms,
    )


async def version(reader: Reader, record: Record, number: int) -> StoredVersion:
    """Raises `NotFound` for a delete marker too."""
    row = await reader.one(sql.version_by_number, id=record.id, org_id=record.org_id, number=number)
    if row is None or row["marker"]:
        raise NotFound("The object has no such version.")
    return version_from(row)


async def version_by_id(reader: Reader, record: Record, version_id: str) -> StoredVersion | None:
    row = await reader.one(sql.version_by_id, id=record.id, org_id=record.org_id, version_id=version_id)
    return None if row is None else version_from(row)


async def newest_version(reader: Reader, record: Record) -> StoredVersion | None:
    """Returns the newest version of those that are left, delete markers too."""
    row = await reader.one(sql.newest_version, id=record.id, org_id=record.org_id)
    return None if row is None else version_from(row)


async def versions_of(reader: Reader, record: Record) -> Sequence[StoredVersion]:
    """Returns the versions, newest first, without delete markers."""
    rows = await reader.all(sql.versions_of, id=record.id, org_id=record.org_id, limit=MAX_VERSIONS)
    return [version_from(row) for row in rows]


async def versions_of_many(
    reader: Reader, org_id: str, records: Sequence[Record]
) -> Mapping[str, list[StoredVersion]]:
    """Returns the newest few versions of each, by the object's id."""
    found: dict[str, list[StoredVersion]] = {record.id: [] for record in records}
    if found:
        rows = await reader.all(
            sql.versions_of_many, ids=json.dumps(list(found)), org_id=org_id, max_rows=MAX_VERSIONS_IN_A_LIST
        )
        for row in rows:
            found[row["id"]].append(version_from(row))
    return found


_NARROWEST_FIRST: tuple[Visibility, ...] = ("private", "shared", "team")


class Origin(NamedTuple):
    """Whose a new object is, who sees it, and what it was derived from, if it was."""

    owner_id: str
    owner_name: str
    visibility: Visibility
    source: Record | None = None


async def origin_of(reader: Reader, caller: Principal, new: NewVersion, now_ms: int) -> Origin:
    """Raises `NotFound` for a source that the caller cannot read."""
    if new.derived_from is None:
        return Origin(caller.user_id, caller.display_name, new.visibility or "team")
    source = await readable(reader, caller, new.derived_from.object_id, now_ms)
    return Origin(source.owner_id, source.owner_name, new.visibility or source.visibility, source)


def narrower(one: Visibility, other: Visibility) -> Visibility:
    """Returns the visibility by which fewer people see an object."""
    return min(one, other, key=_NARROWEST_FIRST.index)
