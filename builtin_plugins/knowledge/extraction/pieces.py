"""Long documents, cut into pieces that overlap, so that what stands across a cut is whole in one of them."""

from collections.abc import Sequence
from dataclasses import dataclass

PIECE, OVERLAP, MAX_PIECES = 6_000, 400, 40
# A piece ends at the last line or sentence within so many characters of its bound.
_SLACK = 600


@dataclass(frozen=True, slots=True)
class Cut:
    """The pieces of a text; `characters` of it are in them, and `truncated` says that it is longer."""

    pieces: Sequence[str]
    characters: int
    truncated: bool


def cut(text: str) -> Cut:
    """Cuts a text into at most `MAX_PIECES` pieces; those without a word are left out."""
    pieces: list[str] = []
    start = end = 0
    while end < len(text) and len(pieces) < MAX_PIECES:
        end = _end(text, start)
        piece = text[start:end]
        if piece.strip():
            pieces.append(piece)
        start = max(end - OVERLAP, start + 1)
    return Cut(pieces, end, end < len(text))


def _end(text: str, start: int) -> int:
    bound = start + PIECE
    if bound >= len(text):
        return len(text)
    for sign in ("\n", ". ", " "):
        place = text.rfind(sign, bound - _SLACK, bound)
        if place != -1:
            return place + len(sign)
    return bound
