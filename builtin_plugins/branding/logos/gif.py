"""GIF, block by block."""

from builtin_plugins.branding.logos.refusal import NotALogo

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
