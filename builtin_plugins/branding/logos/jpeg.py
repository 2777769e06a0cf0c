"""JPEG, segment by segment."""

import re

from builtin_plugins.branding.logos.refusal import NotALogo

_START_OF_SCAN, _END_OF_IMAGE = 0xDA, 0xD9
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_MARKER = re.compile(rb"\xff++([^\x00])", re.DOTALL)
# In a scan, a stuffed zero and the restart markers belong to the data.
_MARKER_BEHIND_SCAN = re.compile(rb"\xff(?=[^\x00\xff\xd0-\xd7])", re.DOTALL)


def read_jpeg(content: bytes) -> tuple[int, int]:
    """Returns the size; segments follow one another up to the end marker, which is last."""
    sides: tuple[int, int] | None = None
    scanned = False
    position = 2
    while match := _MARKER.match(content, position):
        marker, position = match[1][0], match.end()
        if marker == _END_OF_IMAGE:
            if position != len(content):
                raise NotALogo("goes on behind the end of its JPEG")
            if sides is None or not scanned:
                raise NotALogo("is a JPEG without a picture")
            return sides
        segment = _segment(content, position)
        position += len(segment)
        if marker in _FRAMES:
            sides = _frame(segment)
        if marker == _START_OF_SCAN:
            scanned = True
            position = _behind_scan(content, position)
    raise NotALogo("is a JPEG that is cut off or malformed")


def _segment(content: bytes, start: int) -> bytes:
    """Returns a segment with the two bytes of its length."""
    length = int.from_bytes(content[start : start + 2], "big")
    if length < 2 or start + length > len(content):
        raise NotALogo("is a JPEG that is cut off or malformed")
    return content[start : start + length]


def _frame(segment: bytes) -> tuple[int, int]:
    """Reads a frame: length, precision, height, width, components and three bytes for each of them."""
    if len(segment) < 8 or segment[7] not in (1, 3, 4) or len(segment) != 8 + 3 * segment[7]:
        raise NotALogo("is a JPEG with a malformed header")
    return int.from_bytes(segment[5:7], "big"), int.from_bytes(segment[3:5], "big")


def _behind_scan(content: bytes, position: int) -> int:
    match = _MARKER_BEHIND_SCAN.search(content, position)
    if match is None:
        raise NotALogo("is a JPEG that is cut off")
    return match.start()
