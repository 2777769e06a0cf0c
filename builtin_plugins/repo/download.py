"""A version's bytes over HTTP: ranges, entity tags, and how a browser is told to take them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from unicodedata import category
from urllib.parse import quote

from builtin_plugins.repo.keys import media_type
from builtin_plugins.repo.object_row import content_etag
from guildhall_sdk.errors import RangeNotSatisfiable
from guildhall_sdk.services.stored_objects import StoredVersion

INLINE = frozenset(
    {
        "application/pdf",
        "audio/mpeg",
        "image/avif",
        "image/gif",
        "image/jpeg",
        "image/png",
        "image/webp",
        "text/plain",
        "video/mp4",
        "video/webm",
    }
)
_RANGE = re.compile(r"bytes=[ \t]*(\d*)-(\d*)[ \t]*", re.ASCII | re.IGNORECASE)
_TAG = re.compile(r'(?:W/)?"([^"]*)"')
_MAX_DIGITS = 18
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes from `start` up to `end`."""

    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


def wanted_part(headers: Mapping[str, str], version: StoredVersion) -> Part | None:
    """Returns the part that `Range` asks for; None is the whole, as for a range that we do not understand.

    Raises `RangeNotSatisfiable` for one that lies behind the end.
    """
    range_header = headers.get("range")
    if range_header is None or not _still_the_same(headers, version):
        return None
    match = _RANGE.fullmatch(range_header)
    if match is None or not (match[1] or match[2]) or max(map(len, match.groups())) > _MAX_DIGITS:
        return None
    size = version.size
    if not match[1]:
        start, end = max(0, size - int(match[2])), size
    else:
        start, end = int(match[1]), min(size, int(match[2]) + 1) if match[2] else size
        if match[2] and int(match[2]) < start:
            return None
    if start >= end:
        raise RangeNotSatisfiable(
            f"The content has {size} bytes.", headers={"Content-Range": f"bytes */{size}"}
        )
    return Part(start, end)


def _still_the_same(headers: Mapping[str, str], version: StoredVersion) -> bool:
    """Tells whether the caller has the rest of this content; else a part would be of no use to them."""
    if holds_tag(headers.get("if-none-match", ""), version):
        return False
    unless = headers.get("if-range")
    return unless is None or unless.strip() == content_etag(version)


def holds_tag(header: str, version: StoredVersion) -> bool:
    """Tells whether a list of entity tags, or `*`, holds the content's."""
    return header.strip() == "*" or content_etag(version).strip('"') in _TAG.findall(header)


def disposition(version: StoredVersion) -> str:
    """Returns the header of RFC 6266, without what could end it or hide the name's true end."""
    kind = "inline" if media_type(version.content_type) in INLINE else "attachment"
    name = "".join(
        "_" if character in '/\\"' else character
        for character in version.filename
        if category(character) not in _UNSEEN
    )
    name = name.strip() or "file"
    plain = "".join(character if " " <= character <= "~" and character != "%" else "_" for character in name)
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
