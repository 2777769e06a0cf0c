"""WebP, chunk by chunk."""

from collections.abc import Iterator

from builtin_plugins.branding.logos.refusal import NotALogo


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
