"""Lists in another order than that of the keys: by name backwards, by size, or by the last change.

What is little is read and sorted here; of more, the order itself is walked along an index.
"""

import base64
import binascii
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from builtin_plugins.repo import listing
from builtin_plugins.repo.listing import ListingScope
from builtin_plugins.repo.object_row import Record, record_from
from guildhall_sdk import InvalidRequest, Principal, Reader, Statement, load_queries

sql = load_queries(Path(__file__).with_name("ordering.sql"), listing.sql)

Sort = Literal["name", "size", "updated"]
Order = Literal["asc", "desc"]
#: So many are read and sorted at once.
FEW = 200
# Among so many times as many, folders are looked for where what lies beside them is walked.
_LOOKS = 5
_FIRST, _LAST = "", "~"
_ABOVE_ALL = 2**62
_COLUMNS = {"name": "objects.key", "size": "objects.size", "updated": "objects.updated_at"}
# What stands in `in_order`, and what in its place where the order goes down.
_DOWN = {
    "(objects.size, objects.id) >": "(objects.size, objects.id) <",
    "ORDER BY objects.size, objects.id": "ORDER BY objects.size DESC, objects.id DESC",
    "ORDER BY position, id": "ORDER BY position DESC, id DESC",
    "ORDER BY page.position, page.id": "ORDER BY page.position DESC, page.id DESC",
}


def _in_order(sort: str, order: str) -> Statement:
    def spell(text: str) -> str:
        for upwards, downwards in _DOWN.items() if order == "desc" else ():
            text = text.replace(upwards, downwards)
        return text.replace(_COLUMNS["size"], _COLUMNS[sort])

    return sql.in_order.respelled(spell)


# What is by name goes upwards in the list itself.
_STATEMENTS = {
    (sort, order): _in_order(sort, order)
    for sort in _COLUMNS
    for order in ("asc", "desc")
    if (sort, order) != ("name", "asc")
}


class SortedPage(NamedTuple):
    """What is asked for; `flat` is what lies right below the prefix, with the folders there."""

    prefix: str
    flat: bool
    deleted: bool
    sort: Sort
    order: Order
    limit: int

    @property
    def label(self) -> str:
        return f"{self.sort}-{self.order}"

    def place_of(self, record: Record) -> tuple[Any, str]:
        """Returns the place of an object in this order."""
        position = {"name": record.key, "size": record.newest.size, "updated": record.updated_at}[self.sort]
        return position, record.id

    def cursor_of(self, record: Record) -> str:
        position, object_id = self.place_of(record)
        text = f"{self.label}\0{position}\0{object_id}"
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    def place_in(self, cursor: str | None) -> tuple[Any, str] | None:
        """Returns the place behind which a page begins; raises for a cursor of another list."""
        if cursor is None:
            return None
        try:
            padded = cursor + "=" * (-len(cursor) % 4)
            label, position, object_id = (
                base64.b64decode(padded, altchars=b"-_", validate=True).decode().split("\0")
            )
            if label != self.label or not object_id.startswith("obj_"):
                raise ValueError(label)
            if self.sort == "name":
                return position, object_id
            if not (position.isascii() and position.isdigit() and len(position) < 19):
                raise ValueError(position)
            return int(position), object_id
        except (binascii.Error, UnicodeError, ValueError):
            detail = "is not a cursor of a list in this order; start without one"
            raise InvalidRequest.at("?cursor", detail) from None


async def page(
    reader: Reader,
    caller: Principal,
    scope: ListingScope,
    now_ms: int,
    wanted: SortedPage,
    cursor: str | None,
) -> tuple[list[Record], list[str], str | None]:
    """Returns a page, the folders on the first one, and where the next one begins."""
    place = wanted.place_in(cursor)
    folders: list[str] = []
    few: list[Record] | None = None
    if wanted.flat:
        looks = _LOOKS if cursor is None else 1
        few, folders = await _right_below(reader, caller, scope, now_ms, wanted, looks)
    elif wanted.prefix:
        few = await _below(reader, caller, scope, now_ms, wanted)
    if few is None:
        found = await _walked(reader, caller, scope, now_ms, wanted, place)
    else:
        found = _sorted(few, wanted, place)
    shown = found[: wanted.limit]
    more = wanted.cursor_of(shown[-1]) if len(found) > wanted.limit else None
    return shown, folders if cursor is None else [], more


async def _right_below(
    reader: Reader, caller: Principal, scope: ListingScope, now_ms: int, wanted: SortedPage, looks: int
) -> tuple[list[Record] | None, list[str]]:
    """Returns what lies right below the prefix, or None where that is much; and the folders there."""
    records, folders, more = await listing.folder(
        reader, caller, scope, now_ms, prefix=wanted.prefix, start="", after_id="", limit=FEW
    )
    is_little = more is None
    while more is not None and looks > 1:
        start, after_id = listing.place_of(more)
        _, beyond, more = await listing.folder(
            reader, caller, scope, now_ms, prefix=wanted.prefix, start=start, after_id=after_id, limit=FEW
        )
        folders, looks = folders + beyond, looks - 1
    backwards = (wanted.sort, wanted.order) == ("name", "desc")
    return (records if is_little else None), sorted(folders, reverse=backwards)


async def _below(
    reader: Reader, caller: Principal, scope: ListingScope, now_ms: int, wanted: SortedPage
) -> list[Record] | None:
    place: dict[str, Any] = {"prefix": wanted.prefix, "start": "", "after_id": ""}
    if wanted.deleted:
        found = await listing.deleted(reader, caller, now_ms, **place, limit=FEW + 1)
    else:
        found = await listing.objects(reader, caller, scope, now_ms, **place, limit=FEW + 1)
    return found if len(found) <= FEW else None


def _sorted(records: list[Record], wanted: SortedPage, place: tuple[Any, str] | None) -> list[Record]:
    backwards = wanted.order == "desc"
    if place is not None:
        records = [
            one
            for one in records
            if (wanted.place_of(one) < place if backwards else wanted.place_of(one) > place)
        ]
    return sorted(records, key=wanted.place_of, reverse=backwards)[: wanted.limit + 1]


async def _walked(
    reader: Reader,
    caller: Principal,
    scope: ListingScope,
    now_ms: int,
    wanted: SortedPage,
    place: tuple[Any, str] | None,
) -> list[Record]:
    if wanted.deleted:
        scope = replace(scope, anywhere=False)
    before_all: tuple[Any, str] = (-1, _FIRST)
    behind_all: tuple[Any, str] = (listing.BEHIND_ALL if wanted.sort == "name" else _ABOVE_ALL, _LAST)
    position, last = place or (before_all if wanted.order == "asc" else behind_all)
    start, end = listing.bounds_of(wanted.prefix)
    rows = await reader.all(
        _STATEMENTS[wanted.sort, wanted.order],
        **listing.scope_binds(caller, scope, now_ms),
        across_company=int(scope.across_company),
        present=int(not wanted.deleted),
        start=start,
        end=end,
        flat=int(wanted.flat),
        behind_prefix=len(wanted.prefix) + 1,
        position=position,
        last=last,
        limit=wanted.limit + 1,
    )
    return [record_from(row, now_ms) for row in rows]
