"""The difference of two texts, line by line, at a cost that is bounded whatever they hold.

Myers' algorithm takes as many rounds as there are lines to add and remove. Where that would be too many,
what lies between the first and the last changed line counts as replaced. It is done in short steps, on a
thread that others use too.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from guildhall_sdk import TooLarge
from libs.fair_slots import Steps

MAX_LINES = 1_000_000
MAX_ROUNDS = 500
# Equal lines that are passed in all rounds together: in texts of few different lines nearly all are equal.
MAX_COMPARED = 1_000_000
CONTEXT = 3
MAX_OUTPUT = 1_000_000
# Of characters, of lines that are compared as a whole, and of lines one by one: a few milliseconds each.
_PIECE, _BLOCK, _PER_STEP = 64 * 1024, 4 * 1024, 10_000
_SAME, _REMOVED, _ADDED = " ", "-", "+"


class Difference(NamedTuple):
    """`text` is a unified diff; `truncated` says that it goes on."""

    text: str
    added: int
    removed: int
    truncated: bool


class Edit(NamedTuple):
    """One line that is added or removed, and how many lines of each text come before it."""

    added: bool
    old_at: int
    new_at: int

    @property
    def old_end(self) -> int:
        return self.old_at if self.added else self.old_at + 1


def compare(old: str, new: str, old_name: str, new_name: str) -> Steps[Difference]:
    """Compares two texts; raises `TooLarge` for one of too many lines."""
    before = yield from _lines(old)
    after = yield from _lines(new)
    first, last = yield from _shared_ends(before, after)
    middle = before[first : len(before) - last], after[first : len(after) - last]
    edits = yield from _myers(*middle, first)
    if edits is None:
        added, removed = len(middle[1]), len(middle[0])
        hunks = _replaced(before, after, first, last)
    else:
        added = sum(edit.added for edit in edits)
        removed = len(edits) - added
        hunks = _unified(before, after, edits)
    names = (f"--- {old_name}", f"+++ {new_name}") if added or removed else ()
    text, truncated = yield from _written(chain(names, hunks))
    return Difference(text, added, removed, truncated)


def _written(lines: Iterator[str]) -> Steps[tuple[str, bool]]:
    """Returns the lines as far as there is room for them, and whether there was too little."""
    parts: list[str] = []
    written: list[str] = []
    length = 0
    for line in lines:
        length += len(line) + 1
        if length > MAX_OUTPUT:
            return "".join([*parts, *written]), True
        written += (line, "\n")
        if len(written) > _PER_STEP:
            parts.append("".join(written))
            written = []
            yield
    return "".join([*parts, *written]), False


def _lines(text: str) -> Steps[list[str]]:
    """Splits lines as `splitlines` does, piece by piece."""
    lines: list[str] = []
    open_line: list[str] = []
    end = 0
    while end < len(text):
        start, end = end, end + _PIECE
        if text[end - 1 : end + 1] == "\r\n":
            end += 1
        piece = text[start:end]
        found = piece.splitlines()
        ends_a_line = len((piece[-1] + "x").splitlines()) == 2
        if open_line and (len(found) > 1 or ends_a_line):
            found[0] = "".join([*open_line, found[0]])
            open_line = []
        if not ends_a_line:
            open_line.append(found.pop())
        lines += found
        if len(lines) > MAX_LINES:
            raise TooLarge(f"A text of more than {MAX_LINES:,} lines is not compared.", limit=MAX_LINES)
        yield
    if open_line:
        lines.append("".join(open_line))
    return lines


def _shared_ends(old: Sequence[str], new: Sequence[str]) -> Steps[tuple[int, int]]:
    """Returns how many lines are the same at the beginning, and how many behind those at the end."""
    first, last, shorter = 0, 0, min(len(old), len(new))
    while first + _BLOCK <= shorter and old[first : first + _BLOCK] == new[first : first + _BLOCK]:
        first += _BLOCK
        yield
    while first < shorter and old[first] == new[first]:
        first += 1
    olds, news = len(old), len(new)
    while last + _BLOCK <= shorter - first and (
        old[olds - last - _BLOCK : olds - last] == new[news - last - _BLOCK : news - last]
    ):
        last += _BLOCK
        yield
    while last < shorter - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return first, last


def _myers(old: Sequence[str], new: Sequence[str], skipped: int = 0) -> Steps[list[Edit] | None]:
    """Returns the shortest way from one to the other, or None where it is long or hard to find.

    `skipped` lines that are the same in both come before.
    """
    reached = {1: 0}
    compared = passed = 0
    rounds: list[dict[int, int]] = []
    for changes in range(min(len(old) + len(new), MAX_ROUNDS) + 1):
        rounds.append(dict(reached))
        for diagonal in range(-changes, changes + 1, 2):
            x = begin = _begin(reached, diagonal, changes)
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
                if x % _PER_STEP == 0:
                    yield
            compared += x - begin
            passed += x - begin + 1
            reached[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _walk_back(len(old), len(new), rounds, skipped)
        if compared > MAX_COMPARED:
            return None
        if passed > _PER_STEP:
            passed = 0
            yield
    return None


def _begin(reached: dict[int, int], diagonal: int, changes: int) -> int:
    """Returns where a diagonal starts in this round: below the one above it, or right of the one below."""
    if _comes_down(reached, diagonal, changes):
        return reached[diagonal + 1]
    return reached[diagonal - 1] + 1


def _comes_down(reached: dict[int, int], diagonal: int, changes: int) -> bool:
    return diagonal == -changes or (
        diagonal != changes and reached.get(diagonal - 1, -1) < reached.get(diagonal + 1, -1)
    )


def _walk_back(x: int, y: int, rounds: Sequence[dict[int, int]], skipped: int) -> list[Edit]:
    edits: list[Edit] = []
    for changes in range(len(rounds) - 1, 0, -1):
        reached, diagonal = rounds[changes], x - y
        down = _comes_down(reached, diagonal, changes)
        came_from = diagonal + 1 if down else diagonal - 1
        x = reached[came_from]
        y = x - came_from
        edits.append(Edit(down, skipped + x, skipped + y))
    return edits[::-1]


def _unified(old: Sequence[str], new: Sequence[str], edits: Sequence[Edit]) -> Iterator[str]:
    for hunk in _hunks(edits):
        begin, end = max(0, hunk[0].old_at - CONTEXT), min(len(old), hunk[-1].old_end + CONTEXT)
        new_begin = hunk[0].new_at - (hunk[0].old_at - begin)
        added = sum(edit.added for edit in hunk)
        olds = end - begin
        yield _header(begin + 1, olds, new_begin + 1, olds + 2 * added - len(hunk))
        at = begin
        for edit in hunk:
            yield from (_SAME + line for line in old[at : edit.old_at])
            yield _ADDED + new[edit.new_at] if edit.added else _REMOVED + old[edit.old_at]
            at = edit.old_end
        yield from (_SAME + line for line in old[at:end])


def _hunks(edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    """Yields the edits in groups; within one, what is around an edit meets what is around the next."""
    hunk: list[Edit] = []
    for edit in edits:
        if hunk and edit.old_at - hunk[-1].old_end > 2 * CONTEXT:
            yield hunk
            hunk = []
        hunk.append(edit)
    if hunk:
        yield hunk


def _replaced(old: Sequence[str], new: Sequence[str], first: int, last: int) -> Iterator[str]:
    """Yields all between the lines that are the same as one change."""
    begin, old_end, new_end = max(0, first - CONTEXT), len(old) - last, len(new) - last
    around = first - begin + min(last, CONTEXT)
    yield _header(begin + 1, around + old_end - first, begin + 1, around + new_end - first)
    yield from (_SAME + old[at] for at in range(begin, first))
    yield from (_REMOVED + old[at] for at in range(first, old_end))
    yield from (_ADDED + new[at] for at in range(first, new_end))
    yield from (_SAME + old[at] for at in range(old_end, old_end + min(last, CONTEXT)))


def _header(old_line: int, olds: int, new_line: int, news: int) -> str:
    return f"@@ -{_span(old_line, olds)} +{_span(new_line, news)} @@"


def _span(line: int, count: int) -> str:
    """Returns a span as `diff -u` writes it: an empty one names the line before it."""
    if count == 1:
        return str(line)
    return f"{line if count else line - 1},{count}"
