"""Percent-encoding as S3 signs it: once, in capitals, everything but the unreserved characters."""

import re
from urllib.parse import quote, unquote_to_bytes

from builtin_plugins.s3.wire.errors import InvalidURI

_BROKEN_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_UNITS = re.compile(rb"%[0-9A-Fa-f]{2}|[^%]+")


def decode(raw: bytes, *, plus_is_space: bool = False) -> str:
    if _BROKEN_ESCAPE.search(raw):
        raise InvalidURI()
    try:
        return unquote_to_bytes(raw.replace(b"+", b" ") if plus_is_space else raw).decode()
    except UnicodeDecodeError:
        raise InvalidURI() from None


def encode(text: str, safe: str = "") -> str:
    return quote(text, safe=safe)


def canonical_path(raw: bytes) -> str:
    """The path as it is signed; `%2F`, `//` and `..` stay what they are."""
    return "".join(_canonical_unit(unit) for unit in _UNITS.findall(raw))


def _canonical_unit(unit: bytes) -> str:
    if unit[:1] == b"%":
        return "%2F" if unit.upper() == b"%2F" else quote(unquote_to_bytes(unit))
    return quote(unit, safe="/")
