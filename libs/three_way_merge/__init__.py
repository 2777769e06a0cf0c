"""Two changes of one text put together, line by line; what both changed differently is marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

YOURS, BASE, MIDDLE, THEIRS = "<<<<<<< ", "||||||| ", "=======", ">>>>>>> "


@dataclass(frozen=True, slots=True)
class Merged:
    """The text, and the number of the line at which each of its conflicts begins."""

    text: str
    conflicts: Sequence[int]


@dataclass(frozen=True, slots=True)
class _Same:
    """Lines that are the same in all three texts, by where they begin in each, and how many they are."""

    base: int
    yours: int
    theirs: int
    length: int


def merge(base: str, yours: str, theirs: str, names: tuple[str, str, str]) -> Merged:
    """Merges what two sides made of a text; the names of yours, the base and theirs stand at the marks."""
    old, mine, other = (_lines(text) for text in (base, yours, theirs))
    merged, conflicts = list[str](), list[int]()
    at = _Same(0, 0, 0, 0)
    for same in [*_same_in_all(old, mine, other), _Same(len(old), len(mine), len(other), 0)]:
        was = old[at.base : same.base]
        is_mine, is_other = mine[at.yours : same.yours], other[at.theirs : same.theirs]
        if is_other in (was, is_mine):
            merged += is_mine
        elif is_mine == was:
            merged += is_other
        else:
            conflicts.append(len(merged) + 1)
            merged += _conflict(is_mine, was, is_other, names)
        merged += old[same.base : same.base + same.length]
        at = _Same(same.base + same.length, same.yours + same.length, same.theirs + same.length, 0)
    return Merged("".join(merged), conflicts)


def has_conflicts(text: str) -> bool:
    """Tells whether marks of a conflict stand in a text."""
    begun = [line.startswith((YOURS, THEIRS)) for line in text.splitlines()]
    return sum(begun) > 1


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _same_in_all(old: list[str], mine: list[str], other: list[str]) -> Iterator[_Same]:
    """Yields what neither side touched, in order: where the matches of both with the base overlap."""
    of_mine = _matches(old, mine)
    of_other = _matches(old, other)
    while of_mine and of_other:
        (base_a, at_a, long_a), (base_b, at_b, long_b) = of_mine[0], of_other[0]
        begin, end = max(base_a, base_b), min(base_a + long_a, base_b + long_b)
        if begin < end:
            yield _Same(begin, at_a + begin - base_a, at_b + begin - base_b, end - begin)
        if base_a + long_a <= base_b + long_b:
            of_mine.pop(0)
        else:
            of_other.pop(0)


def _matches(old: list[str], new: list[str]) -> list[tuple[int, int, int]]:
    return [(*block,) for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()]


def _conflict(
    mine: Sequence[str], was: Sequence[str], other: Sequence[str], names: tuple[str, str, str]
) -> Iterator[str]:
    sides = ((YOURS + names[0], mine), (BASE + names[1], was), (MIDDLE, other))
    for mark, lines in sides:
        yield f"{mark}\n"
        for line in lines:
            yield line if line.endswith("\n") else f"{line}\n"
    yield f"{THEIRS}{names[2]}\n"
