"""Lists: by key along a team's bucket or across the company, and of text documents."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from builtin_plugins.repo import finding
from builtin_plugins.repo.object_row import READ, Record, record_from, version_from
from guildhall_sdk import InvalidRequest, PermissionDenied, Principal, Reader, Row, Statement, load_queries
from guildhall_sdk.services.stored_objects import StoredVersion

sql = load_queries(Path(__file__).with_name("listing.sql"))
folding = load_queries(Path(__file__).with_name("folding.sql"), sql)

# Behind every key: none is as long.
BEHIND_ALL = "\U0010ffff" * 257
_NEWEST = "~"
# Before every id at a key.
_FIRST_ID = "obj_"
_ABOVE_ALL = 2**62
# Objects that a page of folders reads in their order before it leaps: without folders it need not.
_FIRST_LOOK = 100
_JUST_AFTER = "\x01"


@dataclass(frozen=True, slots=True)
class ListingScope:
    """The ways to see an object by which it is listed."""

    team_id: str
    by_role: bool
    owned: bool
    anywhere: bool = False
    across_company: bool = False
    not_owned: bool = False


class KeyRange(NamedTuple):
    """A page of keys below a prefix: from `start` on, behind `after_id` where two teams have one key."""

    prefix: str
    start: str
    limit: int
    after_id: str = ""


def in_bucket(caller: Principal, team_id: str) -> ListingScope:
    """Returns the scope of all that the caller can read in one team's bucket."""
    _check_scope(caller)
    here = caller.team_id == team_id
    return ListingScope(team_id, by_role=here and caller.may(READ), owned=here)


def everywhere(caller: Principal, *, across_company: bool) -> ListingScope:
    """Returns the scope that adds what they were given in other teams, and what teams show the company."""
    _check_scope(caller)
    return ListingScope(caller.team_id, caller.may(READ), True, anywhere=True, across_company=across_company)


def given(caller: Principal) -> ListingScope:
    """Returns the scope of what others gave them only."""
    _check_scope(caller)
    return ListingScope(caller.team_id, by_role=False, owned=False, anywhere=True, not_owned=True)


def _check_scope(caller: Principal) -> None:
    if not caller.scope_allows(READ):
        raise PermissionDenied(READ)


async def objects(
    reader: Reader,
    caller: Principal,
    scope: ListingScope,
    now_ms: int,
    *,
    prefix: str,
    start: str,
    after_id: str = "",
    limit: int,
) -> list[Record]:
    """Returns objects from the key `start` on, behind `after_id` where two teams have one key."""
    wanted = KeyRange(prefix=prefix, start=start, after_id=after_id, limit=limit)
    rows = await _page(reader, caller, scope, now_ms, wanted)
    return [record_from(row, now_ms) for row in rows]


async def newest(
    reader: Reader,
    caller: Principal,
    scope: ListingScope,
    now_ms: int,
    *,
    prefix: str,
    start: str,
    limit: int,
    delimiter: str = "",
) -> list[StoredVersion]:
    """Returns the newest version of each object from the key `start` on.

    With a delimiter, of keys that share what stands up to it behind the prefix, the first alone.
    """
    page = _page if past_prefix(delimiter[-1:]) is None else partial(_folded, delimiter=delimiter)
    rows = await page(reader, caller, scope, now_ms, KeyRange(prefix=prefix, start=start, limit=limit))
    return [version_from(row) for row in rows]


async def deleted(
    reader: Reader, caller: Principal, now_ms: int, *, prefix: str, start: str, after_id: str, limit: int
) -> list[Record]:
    """Returns what was deleted in the caller's team and can be brought back."""
    scope = in_bucket(caller, caller.team_id)
    wanted = KeyRange(prefix=prefix, start=start, after_id=after_id, limit=limit)
    rows = await _page(reader, caller, scope, now_ms, wanted, statement=sql.deleted_page)
    return [record_from(row, now_ms) for row in rows]


async def folder(
    reader: Reader,
    caller: Principal,
    scope: ListingScope,
    now_ms: int,
    *,
    prefix: str,
    start: str,
    after_id: str,
    limit: int,
) -> tuple[list[Record], list[str], str | None]:
    """Returns a page of what lies right below a prefix, the folders there, and where the next one begins.

    What is in a folder is not walked: the database leaps over it.
    """
    records: list[Record] = []
    folders: list[str] = []
    page, wanted = _page, min(limit, _FIRST_LOOK) + 1
    while True:
        asked = KeyRange(prefix=prefix, start=start, after_id=after_id, limit=wanted)
        rows = await page(reader, caller, scope, now_ms, asked)
        inside = ""
        for record in (record_from(row, now_ms) for row in rows):
            if inside and record.key.startswith(inside):
                continue
            if len(records) + len(folders) == limit:
                return records, folders, _cursor(start, after_id)
            slash = record.key.find("/", len(prefix))
            inside = "" if slash < 0 else record.key[: slash + 1]
            if inside:
                folders.append(inside)
                start, after_id = past_prefix(inside) or BEHIND_ALL, _FIRST_ID
            else:
                records.append(record)
                start, after_id = record.key, record.id
        # Short, and not for a folder that took up the rest of it: that was all.
        if len(rows) < wanted:
            return records, folders, None
        wanted = limit - len(records) - len(folders) + 1
        page = partial(_folded, delimiter="/") if folders else _page


async def _folded(
    reader: Reader,
    caller: Principal,
    scope: ListingScope,
    now_ms: int,
    wanted: KeyRange,
    *,
    delimiter: str,
) -> Sequence[Row]:
    """Returns rows as `_page` does, but of those that one folder holds the first alone.

    Where two teams have one key, there may be more than asked for.
    """
    bounds = _page_bounds(wanted)
    if bounds is None:
        return []
    return await reader.all(
        folding.folded_page,
        **scope_binds(caller, scope, now_ms),
        across_company=int(scope.across_company),
        **bounds,
        limit=wanted.limit,
        delimiter=delimiter,
        behind_prefix=len(wanted.prefix) + 1,
        up_to_delimiter=len(wanted.prefix) + len(delimiter) - 2,
        past_delimiter=past_prefix(delimiter[-1]),
        just_after=_JUST_AFTER,
    )


async def _page(
    reader: Reader,
    caller: Principal,
    scope: ListingScope,
    now_ms: int,
    wanted: KeyRange,
    *,
    statement: Statement = sql.page,
) -> Sequence[Row]:
    bounds = _page_bounds(wanted)
    if bounds is None:
        return []
    return await reader.all(
        statement,
        **scope_binds(caller, scope, now_ms),
        across_company=int(scope.across_company),
        **bounds,
        limit=wanted.limit,
    )


async def versions(
    reader: Reader,
    caller: Principal,
    scope: ListingScope,
    now_ms: int,
    *,
    prefix: str,
    start: str,
    after_version: str | None,
    limit: int,
) -> list[StoredVersion]:
    bounds = _bounds(prefix, start)
    if bounds is None:
        return []
    below = _ABOVE_ALL
    if after_version is not None and bounds[0] == start:
        below = await _below(reader, caller, scope.team_id, start, after_version, now_ms)
    rows = await reader.all(
        sql.versions_page,
        **scope_binds(caller, scope, now_ms),
        start=bounds[0],
        end=bounds[1],
        after="",
        below=below,
        above_all=_ABOVE_ALL,
        limit=limit + 1,
    )
    return [version_from(row) for row in rows]


async def documents(
    reader: Reader, caller: Principal, now_ms: int, before: str | None, limit: int
) -> Sequence[Record]:
    rows = await reader.all(
        sql.documents,
        team_id=caller.team_id,
        user_id=caller.user_id,
        org_id=caller.org_id,
        now=now_ms,
        before=before or _NEWEST,
        limit=limit,
    )
    return [record_from(row, now_ms) for row in rows]


def cursor_of(record: Record) -> str:
    return _cursor(record.key, record.id)


def _cursor(key: str, object_id: str) -> str:
    return base64.urlsafe_b64encode(f"{key}\0{object_id}".encode()).decode().rstrip("=")


def place_of(cursor: str | None) -> tuple[str, str]:
    """Returns the key and the id of the last object seen; keys may hold what other cursors cannot."""
    if cursor is None:
        return "", ""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeError, ValueError):
        text = ""
    key, found, object_id = text.partition("\0")
    if not key or not found or not object_id.startswith("obj_") or "\0" in object_id:
        raise InvalidRequest.at("?cursor", "is not a cursor that this list gave; start without one")
    return key, object_id


def _bounds(prefix: str, start: str) -> tuple[str, str] | None:
    """Returns the first key to look at and the one to stop before; None when nothing lies between."""
    lowest, end = bounds_of(prefix)
    first = max(lowest, start)
    return (first, end) if first < end else None


def bounds_of(prefix: str) -> tuple[str, str]:
    """Returns the first key with a prefix, and the one to stop before."""
    return prefix, (past_prefix(prefix) if prefix else None) or BEHIND_ALL


def _page_bounds(wanted: KeyRange) -> dict[str, str] | None:
    """Returns the binds of a page's keys; None when no key lies between."""
    bounds = _bounds(wanted.prefix, wanted.start)
    if bounds is None:
        return None
    start, end = bounds
    return {"start": start, "end": end, "after": wanted.after_id if start == wanted.start else ""}


def scope_binds(caller: Principal, scope: ListingScope, now_ms: int) -> dict[str, str | int]:
    return {
        "team_id": scope.team_id,
        "my_team": caller.team_id,
        "user_id": caller.user_id,
        "org_id": caller.org_id,
        "by_role": int(scope.by_role),
        "owned": int(scope.owned),
        "anywhere": int(scope.anywhere),
        "not_owned": int(scope.not_owned),
        "now": now_ms,
    }


async def _below(
    reader: Reader, caller: Principal, team_id: str, key: str, version_id: str, now_ms: int
) -> int:
    record = await finding.at_key(reader, caller, team_id, key, now_ms)
    if record is None:
        return 0
    return int(await reader.value(sql.number_below, id=record.id, version_id=version_id))


def past_prefix(prefix: str) -> str | None:
    """Returns the least text that follows every key with this prefix, or None when none does."""
    while prefix:
        last = ord(prefix[-1])
        if last < 0x10FFFF:
            return prefix[:-1] + chr(0xE000 if last == 0xD7FF else last + 1)
        prefix = prefix[:-1]
    return None
