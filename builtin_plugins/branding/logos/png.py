"""PNG, chunk by chunk."""

import struct
import zlib

from builtin_plugins.branding.logos.refusal import NotALogo

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
