"""How many values a JSON text holds, counted in its bytes before anything is made of them.

A value stands at the beginning, behind a comma or behind an opening bracket: as many of these as there are
outside of texts, and one more, is the most that it can hold. What is no JSON is counted up to its first
fault just as it will be read.
"""

from guildhall_sdk import InvalidJson

MAX_MEMBERS = 100_000
_MARKS = (b",", b"[", b"{")
# Looked at in one go; between two of them another thread has its turn.
_SLICE = 128 * 1024


def count_marks(raw: bytes) -> int:
    """Commas and opening brackets, those in texts too: cheap, and never too few."""
    return sum(map(raw.count, _MARKS))


def refuse_too_many_members(raw: bytes) -> None:
    """Raises `InvalidJson` for more than `MAX_MEMBERS` values."""
    if count_marks(raw) >= MAX_MEMBERS and _more_than_allowed(raw):
        raise InvalidJson(f"The body holds more than {MAX_MEMBERS:,} values; send fewer at once.")


def _more_than_allowed(raw: bytes) -> bool:
    found, start, inside = 0, 0, 0
    while start < len(raw):
        end = _whole_escapes(raw, start, min(start + _SLICE, len(raw)))
        pieces = raw[start:end].replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
        found += count_marks(b"".join(pieces[inside::2]))
        if found >= MAX_MEMBERS:
            return True
        inside ^= (len(pieces) - 1) & 1
        start = end
    return False


def _whole_escapes(raw: bytes, start: int, end: int) -> int:
    """Not between a backslash and what it escapes."""
    piece = raw[start:end]
    backslashes = len(piece) - len(piece.rstrip(b"\\"))
    return end - 1 if backslashes % 2 and end < len(raw) else end
