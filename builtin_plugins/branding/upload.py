"""Reads an upload: how large, whether base64, and what it is by its content."""

import base64
import binascii
import hashlib
from typing import NamedTuple

from builtin_plugins.branding.raster import READERS, NotALogo
from builtin_plugins.branding.svg import SVG, check_svg
from guildhall_sdk import InvalidRequest, TooLarge

MAX_BYTES = 512 * 1024
_MAX_SIDE = 4096  # below any two printable characters read as a GIF's width: text cannot pose as one

EXTENSIONS = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp", "image/gif": "gif", SVG: "svg"}
CONTENT_TYPES = tuple(EXTENSIONS)


class Logo(NamedTuple):
    """A picture that was looked through; `data` is its base64."""

    content_type: str
    digest: str
    size: int
    data: str


def read_logo(content_type: str, data: str) -> Logo:
    """Raises `TooLarge`, or `InvalidRequest` at what is wrong. Costs time: call it off the event loop."""
    return read_picture(content_type, data, MAX_BYTES)


def read_picture(content_type: str, data: str, max_bytes: int) -> Logo:
    """Reads a picture of any size up to `max_bytes`; refuses what `read_logo` refuses."""
    content = _decoded(data, max_bytes)
    try:
        actual = _type_of(content)
    except NotALogo as refusal:
        raise InvalidRequest.at("/data", str(refusal)) from None
    if actual != content_type:
        raise InvalidRequest.at("/content_type", f"the data is {actual}, by its content")
    return Logo(actual, hashlib.sha256(content).hexdigest(), len(content), data)


def _decoded(data: str, max_bytes: int) -> bytes:
    """Decodes base64, its length checked before, and only in the one canonical spelling."""
    if len(data) > (max_bytes + 2) // 3 * 4:
        raise _too_large(max_bytes)
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        content = b""
    if not content or base64.b64encode(content).decode() != data:
        raise InvalidRequest.at("/data", "must be base64, padded and without line breaks")
    if len(content) > max_bytes:
        raise _too_large(max_bytes)
    return content


def _too_large(max_bytes: int) -> TooLarge:
    return TooLarge(f"A picture may have {max_bytes // 1024} KiB; send a smaller one.", limit=max_bytes)


def _type_of(content: bytes) -> str:
    """Returns the content type of a sound picture."""
    for content_type, magic, read_size in READERS:
        if magic.match(content):
            sides = read_size(content)
            if not all(1 <= side <= _MAX_SIDE for side in sides):
                raise NotALogo(
                    f"says it is {sides[0]}×{sides[1]} pixels; a logo's sides are 1 to {_MAX_SIDE}"
                )
            return content_type
    check_svg(content)
    return SVG
