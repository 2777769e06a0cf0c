"""The difference of two texts, line by line, at a cost that is bounded whatever they hold.

Myers' algorithm takes as many rounds as there are lines to add and remove. Where that would be too many,
what lies between the first and the last changed line counts as replaced.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MOST_ROUNDS = 500
CONTEXT = 3
MOST_OUTPUT = 1_000_000

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
    steps = _steps(old.splitlines(), new.splitlines())
    lines: list[str] = []
    length, truncated = 0, False
    for line in _unified(steps, old_name, new_name):
        length += len(line) + 1
        if length > MOST_OUTPUT:
            truncated = True
            break
        lines.append(line)
    text = "".join(f"{line}\n" for line in lines)
    kinds = [kind for kind, _ in steps]
    return Difference(text, kinds.count(_ADDED), kinds.count(_REMOVED), truncated)


def _steps(old: Sequence[str], new: Sequence[str]) -> list[Step]:
    """Every line of both, as it stays, goes or comes."""
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    before, after = old[first : len(old) - last], new[first : len(new) - last]
    middle = _myers(before, after)
    if middle is None:
        middle = [*((_REMOVED, line) for line in before), *((_ADDED, line) for line in after)]
    head = [(_SAME, line) for line in old[:first]]
    return [*head, *middle, *((_SAME, line) for line in old[len(old) - last :])]


def _myers(old: Sequence[str], new: Sequence[str]) -> list[Step] | None:
    """The shortest way from one to the other, or None when it is longer than `MOST_ROUNDS`."""
    reached = {1: 0}
    rounds: list[dict[int, int]] = []
    for changes in range(min(len(old) + len(new), MOST_ROUNDS) + 1):
        rounds.append(dict(reached))
        for diagonal in range(-changes, changes + 1, 2):
            x = _begin(reached, diagonal, changes)
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            reached[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _walk_back(old, new, rounds)
    return None


def _begin(reached: dict[int, int], diagonal: int, changes: int) -> int:
    """Where a diagonal starts in this round: below the one above it, or right of the one below."""
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


def _unified(steps: Sequence[Step], old_name: str, new_name: str) -> Iterator[str]:
    changed = [at for at, (kind, _) in enumerate(steps) if kind != _SAME]
    if not changed:
        return
    yield f"--- {old_name}"
    yield f"+++ {new_name}"
    old_line = new_line = 1
    at = 0
    for begin, end in _hunks(changed, len(steps)):
        skipped = begin - at  # all of them unchanged
        old_line, new_line = old_line + skipped, new_line + skipped
        hunk = steps[begin:end]
        olds = sum(kind != _ADDED for kind, _ in hunk)
        news = sum(kind != _REMOVED for kind, _ in hunk)
        yield f"@@ -{_span(old_line, olds)} +{_span(new_line, news)} @@"
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


def _span(line: int, count: int) -> str:
    """As `diff -u` writes it: an empty span names the line before it."""
    if count == 1:
        return str(line)
    return f"{line if count else line - 1},{count}"
