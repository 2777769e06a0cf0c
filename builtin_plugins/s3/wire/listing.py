"""Pages of a bucket: keys in UTF-8 byte order, rolled up at a delimiter, each roll counted once.

Works over any ordered source, which is asked for few rows: what a common prefix hides is leapt over.
Stored keys never contain U+0000, which lets every bound be "at least this text".
"""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from builtin_plugins.s3.wire.errors import InvalidArgument

_FEWEST_ROWS = 16
# Keys that are read in their order before a page leaps: where nothing is rolled up, none of it is needed.
_FIRST_LOOK = 100
_LAST_CHARACTER = "\U0010ffff"
# Keys have at most 1024 bytes of UTF-8.
_BEYOND_ALL = _LAST_CHARACTER * 257


class Entry(Protocol):
    """`id` tells apart what shares a key: versions, uploads; it is empty where keys are unique."""

    @property
    def key(self) -> str: ...

    @property
    def id(self) -> str: ...


class Position(NamedTuple):
    """From `at_least` on; with `after_id`, only what follows that one among those of the key `at_least`."""

    at_least: str
    after_id: str | None = None


EntryT = TypeVar("EntryT", bound=Entry)
EntryT_co = TypeVar("EntryT_co", bound=Entry, covariant=True)


class KeySource(Protocol[EntryT_co]):
    """A function that returns the entries from a position on, ordered by key.

    Within a key the order is its own, and holds although rows come and go.
    All keys are less than `below`, if it is given. Fewer than `limit` rows mean the end.
    """

    async def __call__(self, position: Position, below: str | None, limit: int) -> Sequence[EntryT_co]: ...


class ListQuery(NamedTuple):
    prefix: str
    delimiter: str
    max_keys: int
    start: Position

    def rolled_up(self, key: str) -> str | None:
        """Returns the common prefix that hides the key, if one does."""
        if not self.delimiter:
            return None
        at = key.find(self.delimiter, len(self.prefix))
        return None if at < 0 else key[: at + len(self.delimiter)]


@dataclass(frozen=True, slots=True)
class ListingPage(Generic[EntryT]):
    """`last_key` and `last_id` name what was shown last; after a common prefix, that, without an id.

    `next` is None at the end.
    """

    entries: Sequence[EntryT] = ()
    prefixes: Sequence[str] = ()
    next: Position | None = None
    last_key: str = ""
    last_id: str = ""

    @property
    def count(self) -> int:
        return len(self.entries) + len(self.prefixes)


async def list_page(
    source: KeySource[EntryT], query: ListQuery, folded: KeySource[EntryT] | None = None
) -> ListingPage[EntryT]:
    """Returns a page; `folded` is a source that gives of what a common prefix hides the first alone."""
    if query.max_keys == 0 or "\0" in query.prefix:
        return ListingPage()
    builder = _PageBuilder[EntryT](query)
    below = following(query.prefix)
    position = _not_before(query.start, query.prefix)
    limit = query.max_keys + 1
    if folded is not None and query.delimiter:
        limit = min(limit, _FIRST_LOOK)
    while below is None or position.at_least < below:
        rows = await source(position, below, limit)
        count_before = builder.count
        if not builder.show(rows):
            return builder.page(truncated=True)
        if len(rows) < limit:
            break
        position = builder.position
        left = query.max_keys + 1 - builder.count
        if folded is None:
            limit = max(_FEWEST_ROWS, min(2 * (builder.count - count_before), left))
        else:
            source, limit = (folded if builder.has_prefixes else source), left
    return builder.page(truncated=False)


class _PageBuilder(Generic[EntryT]):
    """The entries and common prefixes of one page so far."""

    def __init__(self, query: ListQuery) -> None:
        self._query = query
        self._entries: list[EntryT] = []
        self._prefixes: list[str] = []
        self._last: EntryT | str = ""

    @property
    def count(self) -> int:
        return len(self._entries) + len(self._prefixes)

    @property
    def has_prefixes(self) -> bool:
        return bool(self._prefixes)

    @property
    def position(self) -> Position:
        """After what was shown last."""
        if isinstance(self._last, str):
            return Position(following(self._last) or _BEYOND_ALL)
        if self._last.id:
            return Position(self._last.key, self._last.id)
        return Position(after(self._last.key))

    def show(self, rows: Sequence[EntryT]) -> bool:
        """Adds rows; returns False as soon as there is something for the next page."""
        for row in rows:
            rolled = self._query.rolled_up(row.key)
            if rolled is not None and rolled == self._last:
                continue
            if self.count == self._query.max_keys:
                return False
            if rolled is None:
                self._entries.append(row)
                self._last = row
            else:
                self._prefixes.append(rolled)
                self._last = rolled
        return True

    def page(self, *, truncated: bool) -> ListingPage[EntryT]:
        key, entry_id = (self._last, "") if isinstance(self._last, str) else (self._last.key, self._last.id)
        onward = self.position if truncated else None
        return ListingPage(self._entries, self._prefixes, onward, key, entry_id)


def start_after(marker: str, prefix: str, delimiter: str, after_id: str | None = None) -> Position:
    """Returns the position after a marker that the client names.

    A common prefix is shown only if it follows the marker.
    """
    if not marker:
        return Position("")
    query = ListQuery(prefix, delimiter, 0, Position(""))
    rolled = query.rolled_up(marker) if marker.startswith(prefix) else None
    if rolled is not None:
        return Position(following(rolled) or _BEYOND_ALL)
    if after_id is not None and "\0" not in marker:
        return Position(marker, after_id)
    return Position(after(marker))


def after(key: str) -> str:
    """Returns the least text that a key beyond this one can have."""
    return key.partition("\0")[0] + "\1"


def following(prefix: str) -> str | None:
    """Returns the least text beyond all that begin with the prefix; None where nothing is."""
    rest = prefix.rstrip(_LAST_CHARACTER)
    if not rest:
        return None
    character = ord(rest[-1]) + 1
    # What UTF-16 needs for itself is no character, and cannot be stored.
    return rest[:-1] + chr(0xE000 if character == 0xD800 else character)


def _not_before(start: Position, prefix: str) -> Position:
    return start if start.at_least >= prefix else Position(prefix)


MAX_KEYS = 1000
_FORMAT = "1"

Arguments = Mapping[str, str]


def list_query_v1(arguments: Arguments) -> ListQuery:
    return _query(arguments, "max-keys", _after_marker(arguments, "marker"))


def list_query_v2(arguments: Arguments) -> ListQuery:
    token = arguments.get("continuation-token")
    start = decode_token(token) if token else _after_marker(arguments, "start-after")
    return _query(arguments, "max-keys", start)


def list_query_versions(arguments: Arguments) -> ListQuery:
    version_id = arguments.get("version-id-marker") or None
    if version_id is not None and not arguments.get("key-marker"):
        raise InvalidArgument("version-id-marker needs a key-marker.", ArgumentName="version-id-marker")
    return _query(arguments, "max-keys", _after_marker(arguments, "key-marker", version_id))


def list_query_uploads(arguments: Arguments) -> ListQuery:
    upload_id = arguments.get("upload-id-marker") or None
    return _query(arguments, "max-uploads", _after_marker(arguments, "key-marker", upload_id))


def wants_url_encoding(arguments: Arguments) -> bool:
    encoding = arguments.get("encoding-type", "")
    if encoding not in ("", "url"):
        raise InvalidArgument("The encoding type must be url.", ArgumentName="encoding-type")
    return encoding == "url"


def parse_limit(text: str | None, name: str, default: int = MAX_KEYS, max_value: int = MAX_KEYS) -> int:
    """Reads a limit of a list from 0 on; a larger one than `max_value` is cut to it."""
    if not text:
        return default
    if not (text.isascii() and text.isdigit()) or len(text) > 10 or int(text) > 2**31 - 1:
        raise InvalidArgument(f"{name} must be a whole number from 0 to {2**31 - 1}.", ArgumentName=name)
    return min(int(text), max_value)


def encode_token(position: Position) -> str:
    return base64.urlsafe_b64encode((_FORMAT + position.at_least).encode()).decode().rstrip("=")


def decode_token(token: str) -> Position:
    try:
        padded = token + "=" * (-len(token) % 4)
        text = base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        text = ""
    if not text.startswith(_FORMAT):
        raise InvalidArgument(
            "The continuation token is not one that a list gave.", ArgumentName="continuation-token"
        )
    at_least = text.removeprefix(_FORMAT)
    return Position(after(at_least) if "\0" in at_least else at_least)


def _query(arguments: Arguments, limit_name: str, start: Position) -> ListQuery:
    return ListQuery(
        prefix=arguments.get("prefix", ""),
        delimiter=arguments.get("delimiter", ""),
        max_keys=parse_limit(arguments.get(limit_name), limit_name),
        start=start,
    )


def _after_marker(arguments: Arguments, name: str, after_id: str | None = None) -> Position:
    prefix, delimiter = arguments.get("prefix", ""), arguments.get("delimiter", "")
    return start_after(arguments.get(name, ""), prefix, delimiter, after_id)
