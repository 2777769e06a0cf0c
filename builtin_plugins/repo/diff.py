"""The difference of two texts, line by line, at a cost that is bounded whatever they hold.

Myers' algorithm takes as many rounds as there are lines to add and remove. Where that would be too many,
what lies between the first and the last changed line counts as replaced.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

from guildhall_sdk.dataclass import dataclass

MAX_ROUNDS = 500
# Equal lines that are passed in all rounds together: in texts of few different lines nearly all are equal.
MAX_COMPARED = 1_000_000
CONTEXT = 3
MAX_OUTPUT = 1_000_000
_PIECE = 64 * 1024

Step = tuple[str, str]
_SAME, _REMOVED, _ADDED = " ", "-", "+"


@dataclass(frozen=True, slots=True)
class Difference:
    """`text` is a unified diff; `truncated` says that it goes on."""

    text: str
    added: int
    removed: int
    truncated: bool


def compare(old: str, new: str, old_name: str, new_name: str) -> Difference:
    between = _Between.of(_lines(old), _lines(new))
    steps = _myers(between.before, between.after)
    if steps is None:
        hunks, added, removed = between.replaced(), len(between.after), len(between.before)
    else:
        kinds = [kind for kind, _ in steps]
        hunks, added, removed = between.unified(steps), kinds.count(_ADDED), kinds.count(_REMOVED)
    lines: list[str] = []
    length, truncated = 0, False
    names = (f"--- {old_name}", f"+++ {new_name}") if added or removed else ()
    for line in chain(names, hunks):
        length += len(line) + 1
        if length > MAX_OUTPUT:
            truncated = True
            break
        lines.append(line)
    return Difference("".join(f"{line}\n" for line in lines), added, removed, truncated)


def _lines(text: str) -> list[str]:
    """Splits lines as `splitlines` does, but piece by piece: it would keep other threads waiting."""
    lines: list[str] = []
    rest = ""
    for start in range(0, len(text), _PIECE):
        piece = (rest + text[start : start + _PIECE]).splitlines(keepends=True)
        # Where the last one ends, and whether its CR has an LF, shows with the next piece.
        rest = piece.pop()
        lines += [line.splitlines()[0] for line in piece]
    return lines + rest.splitlines()


@dataclass(frozen=True, slots=True)
class _Between:
    """The lines between the first and the last change, with those around them."""

    skipped: int
    head: Sequence[str]
    before: Sequence[str]
    after: Sequence[str]
    tail: Sequence[str]

    @classmethod
    def of(cls, old: Sequence[str], new: Sequence[str]) -> "_Between":
        first, last, shorter = 0, 0, min(len(old), len(new))
        while first < shorter and old[first] == new[first]:
            first += 1
        while last < shorter - first and old[-1 - last] == new[-1 - last]:
            last += 1
        begin, end = max(0, first - CONTEXT), len(old) - last
        return cls(begin, old[begin:first], old[first:end], new[first : len(new) - last], old[end:][:CONTEXT])

    def unified(self, middle: Sequence[Step]) -> Iterator[str]:
        head, tail = ([(_SAME, line) for line in around] for around in (self.head, self.tail))
        return _unified([*head, *middle, *tail], self.skipped)

    def replaced(self) -> Iterator[str]:
        """Yields all of it as one change."""
        around = len(self.head) + len(self.tail)
        yield _header(self.skipped + 1, around + len(self.before), self.skipped + 1, around + len(self.after))
        yield from (_SAME + line for line in self.head)
        yield from (_REMOVED + line for line in self.before)
        yield from (_ADDED + line for line in self.after)
        yield from (_SAME + line for line in self.tail)


def _myers(old: Sequence[str], new: Sequence[str]) -> list[Step] | None:
    """Returns the shortest way from one to the other, or None where it is long or hard to find."""
    reached = {1: 0}
    compared = 0
    rounds: list[dict[int, int]] = []
    for changes in range(min(len(old) + len(new), MAX_ROUNDS) + 1):
        rounds.append(dict(reached))
        for diagonal in range(-changes, changes + 1, 2):
            x = _begin(reached, diagonal, changes)
            y = x - diagonal
            begin = x
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            compared += x - begin
            reached[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _walk_back(old, new, rounds)
        if compared > MAX_COMPARED:
            return None
    return None


def _begin(reached: dict[int, int], diagonal: int, changes: int) -> int:
    """Returns where a diagonal starts in this round: below the one above it, or right of the one below."""
    down = diagonal == -changes or (
        diagonal != changes and reached.get(diagonal - 1, -1) < reached.get(diagonal + 1, -1)
    )
    return reached[diagonal + 1] if down else reached[diagonal - 1] + 1


def _walk_back(old: Sequence[str], new: Sequence[str], rounds: Sequence[dict[int, int]]) -> list[Step]:
    steps: list[Step] = []
    x, y = len(old), len(new)
    for changes in range(len(rounds) - 1, -1, -1):
        reached, diagonal = rounds[changes], x - y
        down = diagonal == -changes or (
            diagonal != changes and reached.get(diagonal - 1, -1) < reached.get(diagonal + 1, -1)
        )
        came_from = diagonal + 1 if down else diagonal - 1
        from_x = reached[came_from]
        from_y = from_x - came_from
        while x > from_x and y > from_y:
            steps.append((_SAME, old[x - 1]))
            x, y = x - 1, y - 1
        if changes:
            steps.append((_ADDED, new[y - 1]) if down else (_REMOVED, old[x - 1]))
            x, y = from_x, from_y
    return steps[::-1]


def _unified(steps: Sequence[Step], skipped_lines: int) -> Iterator[str]:
    changed = [at for at, (kind, _) in enumerate(steps) if kind != _SAME]
    if not changed:
        return
    old_line = new_line = 1 + skipped_lines
    at = 0
    for begin, end in _hunks(changed, len(steps)):
        skipped = begin - at  # all of them unchanged
        old_line, new_line = old_line + skipped, new_line + skipped
        hunk = steps[begin:end]
        olds = sum(kind != _ADDED for kind, _ in hunk)
        news = sum(kind != _REMOVED for kind, _ in hunk)
        yield _header(old_line, olds, new_line, news)
        yield from (kind + line for kind, line in hunk)
        old_line, new_line, at = old_line + olds, new_line + news, end


def _hunks(changed: Sequence[int], total: int) -> Iterator[tuple[int, int]]:
    begin, end = max(0, changed[0] - CONTEXT), changed[0] + 1
    for at in changed[1:]:
        if at - end > 2 * CONTEXT:
            yield begin, min(total, end + CONTEXT)
            begin = at - CONTEXT
        end = at + 1
    yield begin, min(total, end + CONTEXT)


def _header(old_line: int, olds: int, new_line: int, news: int) -> str:
    return f"@@ -{_span(old_line, olds)} +{_span(new_line, news)} @@"


def _span(line: int, count: int) -> str:
    """Returns a span as `diff -u` writes it: an empty one names the line before it."""
    if count == 1:
        return str(line)
    return f"{line if count else line - 1},{count}"
