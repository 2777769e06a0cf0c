"""Keyset paging: a cursor names the last row of a page, so that inserts never shift the next."""

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from guildhall_sdk.errors import InvalidRequest
from guildhall_sdk.schema import Schema, integer, string

Row = TypeVar("Row")

PAGE_QUERY: Mapping[str, Schema] = {
    "limit": integer(1, 200, default=50, description="How many items at the most"),
    "cursor": string(max_length=512, description="`next_cursor` of the page before"),
}


def encode_cursor(key: str) -> str:
    """Makes an opaque cursor of the key of a page's last row."""
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def decode_cursor(cursor: str | None) -> str | None:
    """Returns the key in a cursor, or None for None; raises `InvalidRequest` for one that is malformed."""
    if cursor is None:
        return None
    try:
        key = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeError, ValueError):
        key = ""
    if not key or not key.isprintable():
        raise InvalidRequest.at("?cursor", "is not a cursor that this list gave; start without one")
    return key


def page_bounds(query: Mapping[str, Any]) -> tuple[str | None, int]:
    """Returns the key to start after, and how many rows to fetch: one more than shown, to see the end."""
    return decode_cursor(query.get("cursor")), int(query.get("limit", 50)) + 1


def cut_page(rows: Sequence[Row], fetched: int, key: Callable[[Row], str]) -> tuple[list[Row], str | None]:
    """Returns the rows to show, and the cursor of the next page or None at the end."""
    limit = fetched - 1
    rows_of_page = list(rows[:limit])
    return rows_of_page, encode_cursor(key(rows_of_page[-1])) if len(rows) > limit else None
