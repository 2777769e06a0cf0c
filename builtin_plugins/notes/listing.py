"""Pages of notes, in each order, of one tag, and of the bin."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from builtin_plugins.notes.note import DELETE, Note, tag_key
from guildhall_sdk import InvalidRequest, Principal, Reader, Row, Statement, load_queries
from guildhall_sdk.replies import encode_cursor

sql = load_queries(Path(__file__).with_name("listing.sql"))

# A page of the longest notes would not fit in memory many times over; a cursor leads on from anywhere.
MAX_BYTES_PER_PAGE = 4 * 1024 * 1024
_AFTER_EVERY_ID = "~"
_AFTER_EVERY_TIME = 2**62
_MARK = "|"
# Fewer notes of one tag than these are sorted for each page; of more the order itself is walked.
_FEW = 500
_PER_STEP = 200

Sort = Literal["created", "updated", "title"]


class ListQuery(NamedTuple):
    """What a page is of: `floor` is the time before which what was deleted is gone from the bin."""

    sort: Sort = "created"
    tag: str | None = None
    across_company: bool = False
    deleted: bool = False
    floor: int = 0


class NotePage(NamedTuple):
    notes: list[Note]
    next_cursor: str | None


async def page(
    reader: Reader, caller: Principal, after: str | None, fetched: int, query: ListQuery
) -> NotePage:
    """Returns one less than `fetched`; a page of long notes may be shorter."""
    if query.deleted:
        return await _walked(reader, caller, after, fetched, query, sql.found_in_bin)
    if query.tag is not None:
        return await _tagged(reader, caller, after, fetched, query)
    if query.sort == "created":
        return await _newest(reader, caller, after, fetched, query)
    statement = sql.found_by_updated if query.sort == "updated" else sql.found_by_title
    return await _walked(reader, caller, after, fetched, query, statement)


async def _newest(
    reader: Reader, caller: Principal, after: str | None, fetched: int, query: ListQuery
) -> NotePage:
    rows = await reader.all(
        sql.page,
        across_company=int(query.across_company),
        org_id=caller.org_id,
        team_id=caller.team_id,
        user_id=caller.user_id,
        before=after or _AFTER_EVERY_ID,
        limit=fetched,
        max_bytes=MAX_BYTES_PER_PAGE,
    )
    notes = [Note.from_row(row) for row in rows[: fetched - 1]]
    more = bool(notes) and rows[0]["candidates"] > len(notes)
    return NotePage(notes, encode_cursor(notes[-1].id) if more else None)


async def _walked(
    reader: Reader, caller: Principal, after: str | None, fetched: int, query: ListQuery, statement: Statement
) -> NotePage:
    by_title = query.sort == "title" and not query.deleted
    last, position = _place(after, by_title=by_title)
    binds: dict[str, Any] = {
        "org_id": caller.org_id,
        "team_id": caller.team_id,
        "user_id": caller.user_id,
        "last": last,
        "position": position,
        "limit": fetched,
    }
    if query.deleted:
        binds |= {"by_role": int(caller.may(DELETE)), "floor": query.floor}
    else:
        binds["across_company"] = int(query.across_company)
    rows = await reader.all(statement, **binds)
    return await _loaded(reader, caller, rows, fetched, "position")


async def _tagged(
    reader: Reader, caller: Principal, after: str | None, fetched: int, query: ListQuery
) -> NotePage:
    """Returns notes of one tag: few are sorted; of many, what the caller sees is walked for them."""
    tag = tag_key(query.tag or "")
    if query.sort == "created":
        last, position = after or _AFTER_EVERY_ID, None
    else:
        last, position = _place(after, by_title=query.sort == "title")
    tagged = await reader.all(sql.tagged, org_id=caller.org_id, tag=tag, limit=_FEW)
    if len(tagged) == _FEW:
        rows = await _walked_for(reader, caller, (last, position), fetched, query, tag)
        return await _loaded(reader, caller, rows, fetched, None if position is None else "position")
    ids = json.dumps([row["id"] for row in tagged])
    seen = await reader.all(sql.visible_of, **_whose(caller, query), ids=ids)
    rows = [row for row in seen if row["deleted_at"] is None]
    column = {"created": None, "updated": "updated_at", "title": "title_key"}[query.sort]
    return await _loaded(reader, caller, _behind(rows, (last, position), column, fetched), fetched, column)


def _behind(rows: Sequence[Row], place: tuple[str, Any], column: str | None, fetched: int) -> list[Row]:
    """Returns the rows behind a place, in the order of a column, as the database would sort them."""
    last, position = place
    end = last if column is None else (position, last)

    def key(row: Row) -> Any:
        return row["id"] if column is None else (row[column], row["id"])

    from_a_on = column == "title_key"
    behind = [row for row in rows if (key(row) > end if from_a_on else key(row) < end)]
    return sorted(behind, key=key, reverse=not from_a_on)[:fetched]


async def _walked_for(
    reader: Reader, caller: Principal, place: tuple[str, Any], fetched: int, query: ListQuery, tag: str
) -> list[Row]:
    """Walks down what the caller sees until enough of it has the tag."""
    statement = {
        "created": sql.found_by_created,
        "updated": sql.found_by_updated,
        "title": sql.found_by_title,
    }[query.sort]
    found: list[Row] = []
    last, position = place
    while len(found) < fetched:
        binds = {**_whose(caller, query), "last": last, "limit": _PER_STEP}
        rows = await reader.all(statement, **binds, **({} if position is None else {"position": position}))
        ids = json.dumps([row["id"] for row in rows])
        tagged = {row["id"] for row in await reader.all(sql.tagged_of, tag=tag, ids=ids)}
        found += [row for row in rows if row["id"] in tagged]
        if len(rows) < _PER_STEP:
            break
        last = rows[-1]["id"]
        position = None if position is None else rows[-1]["position"]
    return found[:fetched]


def _whose(caller: Principal, query: ListQuery) -> dict[str, Any]:
    return {
        "org_id": caller.org_id,
        "team_id": caller.team_id,
        "user_id": caller.user_id,
        "across_company": int(query.across_company),
    }


def _place(after: str | None, *, by_title: bool) -> tuple[str, Any]:
    """Returns the id and the sorted value that a page begins behind."""
    if after is None:
        return ("", "") if by_title else (_AFTER_EVERY_ID, _AFTER_EVERY_TIME)
    last, mark, position = after.partition(_MARK)
    if not mark or (not by_title and not (position.isascii() and position.isdigit())):
        raise InvalidRequest.at("?cursor", "is not a cursor of a list in this order; start without one")
    return last, position if by_title else min(int(position[:19]), _AFTER_EVERY_TIME)


async def _loaded(
    reader: Reader, caller: Principal, rows: Sequence[Row], fetched: int, column: str | None
) -> NotePage:
    """Loads the notes of ids in their order, as far as their texts are not too much for one page."""
    taken: list[Row] = []
    size = 0
    for row in rows[: fetched - 1]:
        if taken and size + row["size"] > MAX_BYTES_PER_PAGE:
            break
        taken.append(row)
        size += row["size"]
    ids = json.dumps([row["id"] for row in taken])
    found = await reader.all(sql.notes_by_id, ids=ids, org_id=caller.org_id, user_id=caller.user_id)
    notes = {row["id"]: Note.from_row(row) for row in found}
    cursor = None
    if len(rows) > len(taken) and taken:
        end = taken[-1]
        cursor = encode_cursor(end["id"] if column is None else f"{end['id']}{_MARK}{end[column]}")
    return NotePage([notes[row["id"]] for row in taken if row["id"] in notes], cursor)
