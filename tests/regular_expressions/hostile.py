"""Texts that a regular expression would rather not see, made from it, and what they cost it."""

import re
import time
from functools import cache, partial
from itertools import permutations

from re import _constants as kinds  # isort: skip
from re import _parser as parser  # isort: skip

SHORT, LONG = 384, 3_072
# Whatever takes less than this is not worth a second look.
CHEAP_SECONDS = 0.01
# Eight times as long: eight is linear, 64 the square.
MAX_GROWTH = 24
HOPELESS_SECONDS = 0.05
# In steps so small that one which doubles with each character still comes back.
_FIRST = (12, 16, 20, 22, 24, 28, 32, 36, 40, 48, 64, 96, 192, SHORT)
_MAX_CHARACTERS = 9
_MAX_PAIRED = 5
_FOILS = ("\x00", "")
_CATEGORIES = {
    kinds.CATEGORY_DIGIT: "0",
    kinds.CATEGORY_SPACE: " ",
    kinds.CATEGORY_WORD: "a",
    kinds.CATEGORY_NOT_DIGIT: "a",
    kinds.CATEGORY_NOT_SPACE: "a",
    kinds.CATEGORY_NOT_WORD: "-",
}


def costliest(pattern, methods):
    """What of the hostile texts costs more than its length, and by how much; None where nothing does."""
    return next(filter(None, (_costliest(pattern, method) for method in methods)), None)


@cache
def _costliest(pattern, method):
    """Remembered, as many places use the same expressions."""
    run = _runner(pattern, method)
    for text_of in hostile_texts(pattern):
        growth = _growth(run, text_of)
        if growth > MAX_GROWTH:
            return f"{method}({text_of(4)!r} …) of {pattern.pattern!r} grows {growth:.0f}-fold by eight"
    return None


def hostile_texts(pattern):
    """Functions from a length to a text."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    characters = [*dict.fromkeys(_characters(tree))][:_MAX_CHARACTERS]
    pairs = ["".join(pair) for pair in permutations(characters[:_MAX_PAIRED], 2)]
    beginnings = [*dict.fromkeys(_beginnings(tree))][:6]
    pumps = [*dict.fromkeys([*characters, *pairs, *filter(None, beginnings), " ", "\u0301", "-"])]
    for pump in pumps:
        for beginning in dict.fromkeys(["", *beginnings]):
            for foil in _FOILS:
                yield _text(pattern, beginning, pump, foil)


def _text(pattern, beginning, pump, foil):
    def text_of(length):
        text = beginning + pump * (length // len(pump)) + foil
        return text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text

    return text_of


def _growth(run, text_of):
    for length in _FIRST:
        if _is_quick(run, text := text_of(length), HOPELESS_SECONDS):
            continue
        if _seconds(run, text, 2) > HOPELESS_SECONDS:
            return float("inf")
    if _is_quick(run, text := text_of(LONG), CHEAP_SECONDS):
        return 0.0
    if _seconds(run, text, 1) < CHEAP_SECONDS:
        return 0.0
    return _seconds(run, text, 3) / max(_seconds(run, text_of(SHORT), 5), 1e-6)


def _is_quick(run, text, seconds):
    """By the clock on the wall, which costs the least to read and tells no less than was worked."""
    began = time.perf_counter()
    run(text)
    return time.perf_counter() - began < seconds


def _seconds(run, text, times):
    """Of processor time, and the best of several: a busy machine is no fault of the expression."""
    best = float("inf")
    for _ in range(times):
        began = time.thread_time()
        run(text)
        best = min(best, time.thread_time() - began)
    return best


def _runner(pattern, method):
    if method in ("sub", "subn"):
        return partial(getattr(pattern, method), pattern.pattern[:0])
    if method == "finditer":
        return lambda text: [*pattern.finditer(text)]
    return getattr(pattern, method)


def _characters(tree):
    """Of each place in the expression, characters that fit there."""
    for kind, value in tree:
        if kind in (kinds.LITERAL, kinds.NOT_LITERAL):
            yield chr(value) if kind is kinds.LITERAL else _other_than(value)
        elif kind is kinds.ANY:
            yield "a"
        elif kind is kinds.IN:
            yield from _members(value)
        else:
            for inner in _inside(value):
                yield from _characters(inner)


def _members(members):
    """The first and the last of each range; of what is left out, something that is not."""
    left_out = members[0][0] is kinds.NEGATE
    fitting = []
    for kind, value in members:
        if kind is kinds.LITERAL:
            fitting.append(chr(value))
        elif kind is kinds.RANGE:
            fitting += [chr(value[0]), chr(value[1])]
        elif kind is kinds.CATEGORY:
            fitting.append(_CATEGORIES[value])
    if not left_out:
        return fitting[:3]
    return [next(one for one in "a0 -é\x7f\x01\u0301" if not re.match(_spelled(members), one))]


def _spelled(members):
    parts = []
    for kind, value in members[1:]:
        if kind is kinds.LITERAL:
            parts.append(re.escape(chr(value)))
        elif kind is kinds.RANGE:
            parts.append(f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}")
        else:
            parts.append(
                r"\w" if _CATEGORIES[value] == "a" else r"\s" if _CATEGORIES[value] == " " else r"\W"
            )
    return f"[{''.join(parts)}]"


def _other_than(value):
    return "a" if chr(value) != "a" else "b"


def _inside(value):
    """The expressions within a group, a repetition, an alternative or a look around."""
    if isinstance(value, parser.SubPattern):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _inside(one)


def _beginnings(tree):
    """What leads up to each place of the expression, spelled as shortly as it can be."""
    told = ""
    for kind, value in tree:
        yield told
        inner = [*_inside(value)] if kind not in (kinds.ASSERT, kinds.ASSERT_NOT) else []
        for one in inner:
            yield from (told + below for below in _beginnings(one))
        told += _shortest([(kind, value)])
    yield told


def _shortest(tree):
    told = ""
    for kind, value in tree:
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            told += _shortest(value[2]) * min(max(value[0], 0), 8)
        elif kind is kinds.BRANCH:
            told += _shortest(value[1][0])
        elif kind in (kinds.SUBPATTERN, kinds.ATOMIC_GROUP):
            told += _shortest(value[-1] if kind is kinds.SUBPATTERN else value)
        elif kind not in (kinds.ASSERT, kinds.ASSERT_NOT, kinds.AT, kinds.GROUPREF):
            told += next(iter(_characters([(kind, value)])), "")
    return told
