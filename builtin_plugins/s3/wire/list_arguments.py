"""The arguments of the list calls, read and judged; and the token with which a list goes on."""

import base64
import binascii
from collections.abc import Mapping

from builtin_plugins.s3.wire.errors import InvalidArgument
from builtin_plugins.s3.wire.listing import ListQuery, Position, after, start_after

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
