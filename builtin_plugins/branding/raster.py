"""The raster formats that are taken, read part by part, and the refusal of what is no picture."""

import re
import struct
import zlib
from collections.abc import Iterator


class NotALogo(Exception):
    """In words that follow "the data …"."""


_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}


def read_png(content: bytes) -> tuple[int, int]:
    """Returns the size; every chunk is whole with its checksum, the header first and the end last."""
    sides: tuple[int, int] | None = None
    drawn = False
    position = 8
    while position < len(content):
        kind, body, position = _chunk(content, position)
        if (sides is None) != (kind == b"IHDR"):
            raise NotALogo("is a PNG whose header is missing or there twice")
        if kind == b"IHDR":
            sides = _header(body)
        drawn = drawn or kind == b"IDAT"
        if kind == b"IEND":
            if position != len(content):
                raise NotALogo("goes on behind the end of its PNG")
            if sides is not None and drawn:
                return sides
    raise NotALogo("is a PNG that is cut off or empty")


def _chunk(content: bytes, start: int) -> tuple[bytes, bytes, int]:
    length = int.from_bytes(content[start : start + 4], "big")
    end = start + 12 + length
    if end > len(content):
        raise NotALogo("is a PNG that is cut off")
    checked = content[start + 4 : end - 4]
    if zlib.crc32(checked) != int.from_bytes(content[end - 4 : end], "big"):
        raise NotALogo("is a PNG with a wrong checksum")
    return checked[:4], checked[4:], end


def _header(body: bytes) -> tuple[int, int]:
    if len(body) != 13:
        raise NotALogo("is a PNG with a malformed header")
    width, height, depth, colours, compression, filtering, interlace = struct.unpack(">IIBBBBB", body)
    if depth not in _DEPTHS.get(colours, ()) or compression or filtering or interlace > 1:
        raise NotALogo("is a PNG with a malformed header")
    return width, height


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


_EXTENSION, _IMAGE, _TRAILER = 0x21, 0x2C, 0x3B


def read_gif(content: bytes) -> tuple[int, int]:
    """Returns the size; blocks follow one another up to the trailer, which is the last byte."""
    try:
        return _walk(content)
    except IndexError:
        raise NotALogo("is a GIF that is cut off") from None


def _walk(content: bytes) -> tuple[int, int]:
    sides = int.from_bytes(content[6:8], "little"), int.from_bytes(content[8:10], "little")
    position = 13 + _colour_table(content[10])
    images = 0
    while (block := content[position]) != _TRAILER:
        if block == _EXTENSION:
            position = _behind_sub_blocks(content, position + 2)
        elif block == _IMAGE:
            images += 1
            # A descriptor of ten bytes, perhaps a colour table, one byte of code size, the data.
            position += 10 + _colour_table(content[position + 9])
            position = _behind_sub_blocks(content, position + 1)
        else:
            raise NotALogo("is a GIF with a block that there is not")
    if position + 1 != len(content):
        raise NotALogo("goes on behind the end of its GIF")
    if not images:
        raise NotALogo("is a GIF without a picture")
    return sides


def _colour_table(flags: int) -> int:
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _behind_sub_blocks(content: bytes, position: int) -> int:
    while size := content[position]:
        position += size + 1
    return position + 1


def read_webp(content: bytes) -> tuple[int, int]:
    """Returns the size; the container is exactly as long as it says, and its chunks fill it."""
    chunks = list(_chunks(content))
    kinds = [kind for kind, _ in chunks]
    if not chunks or not {b"VP8 ", b"VP8L", b"ANMF"} & set(kinds):
        raise NotALogo("is a WebP without a picture")
    kind, body = chunks[0]
    if kind == b"VP8X" and len(body) == 10:
        return _number(body[4:7]) + 1, _number(body[7:10]) + 1
    if kind == b"VP8L" and len(body) >= 5 and body[0] == 0x2F:
        bits = _number(body[1:5])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and len(body) >= 10 and body[3:6] == b"\x9d\x01\x2a":
        return _number(body[6:8]) & 0x3FFF, _number(body[8:10]) & 0x3FFF
    raise NotALogo("is a WebP with a malformed header")


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields the chunks behind the container's header; one of odd length has a byte of padding."""
    if _number(content[4:8]) + 8 != len(content):
        raise NotALogo("is not as long as its WebP header says")
    position = 12
    while position < len(content):
        size = _number(content[position + 4 : position + 8])
        start, end = position + 8, position + 8 + size
        position = end + size % 2
        if position > len(content):
            raise NotALogo("is a WebP that is cut off")
        yield content[start - 8 : start - 4], content[start:end]


def _number(data: bytes) -> int:
    return int.from_bytes(data, "little")


# Each reader walks the whole file, refuses what is cut off or goes on behind the end, and gives the size.
READERS = (
    ("image/png", re.compile(rb"\x89PNG\r\n\x1a\n"), read_png),
    ("image/jpeg", re.compile(rb"\xff\xd8\xff"), read_jpeg),
    ("image/gif", re.compile(rb"GIF8[79]a"), read_gif),
    ("image/webp", re.compile(rb"RIFF.{4}WEBP", re.DOTALL), read_webp),
)
