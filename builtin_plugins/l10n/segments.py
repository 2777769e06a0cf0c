"""A message without its frames and placeholders: the texts that go to a model, and the way back.

A model sees texts with bare slots such as `{name}`, one for each form that the target language has. It never
sees a plural, a select or the style of a date: these are put around its texts afterwards, as they were.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from builtin_plugins.l10n.patterns import (
    Frame,
    Pattern,
    Piece,
    Slot,
    Text,
    frames_of,
    merge_texts,
    read_pattern,
    write_pattern,
)
from libs.icu_messages import PLURAL_CATEGORIES, MessageFault, knows_plurals, plural_categories

_TRIED = (*range(200), 1_000_000)
_SAMPLES = 4

MAX_TEXTS = 60
MAX_CHARACTERS = 40_000
# As long as a key of a catalog may be.
_MAX_LABEL = 200
_SHORT_KEY = 80


@lru_cache(maxsize=1024)
def numbers_of(locale: str, category: str, *, ordinal: bool) -> Sequence[int]:
    """Returns the first few whole numbers of a category; none where the language is not known."""
    from babel import Locale, UnknownLocaleError

    try:
        found = Locale.parse(locale.partition("-")[0])
    except (UnknownLocaleError, ValueError):
        return ()
    rule = found.ordinal_form if ordinal else found.plural_form
    numbers = (number for number in _TRIED if rule(number) == category)
    return tuple(number for number, _ in zip(numbers, range(_SAMPLES), strict=False))


class NoDraft(Exception):
    """A message that no draft is made for, or a text that is none; the reason is for people."""


class _Leaf(NamedTuple):
    """A text with slots, by its label; `slots` are what stands for each, `ends` the spaces around it."""

    label: str
    slots: Mapping[str, "Slot | _Framed"]
    counts: Counter[str]
    ends: tuple[str, str]


class _Framed(NamedTuple):
    """A frame in the forms of the target language."""

    frame: Frame
    forms: Mapping[str, "_Leaf | _Framed"]


@dataclass(slots=True)
class Segments:
    """The texts of a message by label, and the frame that they are put into again."""

    key: str
    locale: str
    texts: dict[str, str] = field(default_factory=dict)
    _root: "_Leaf | _Framed | None" = None
    _size: int = 0

    def put_together(self, translations: Mapping[str, str]) -> str:
        """Returns the message with these texts. Raises `NoDraft` for one that does not keep its slots."""
        assert self._root is not None
        return write_pattern(merge_texts(_built(self._root, translations)))

    def read(self, source: str) -> None:
        self._root = self._taken_apart(read_pattern(source), ())

    def _taken_apart(self, pattern: Pattern, context: tuple[str, ...]) -> "_Leaf | _Framed":
        whole = _sentences(pattern)
        if len(whole) == 1 and isinstance(whole[0], Frame):
            return self._framed(whole[0], context)
        return self._leaf(whole, context)

    def _framed(self, frame: Frame, context: tuple[str, ...]) -> _Framed:
        forms = {
            selector: self._taken_apart(form, (*context, self._context(frame, selector)))
            for selector, form in _target_forms(frame, self.locale)
        }
        return _Framed(frame, forms)

    def _context(self, frame: Frame, selector: str) -> str:
        if not frame.plural or selector.startswith("="):
            return f"{frame.name} is {selector.removeprefix('=')}"
        numbers = numbers_of(self.locale, selector, ordinal=frame.kind == "selectordinal")
        such = f" such as {', '.join(map(str, numbers))}" if numbers else ""
        return f"{frame.name} is {selector}{such}"

    def _leaf(self, pattern: Pattern, context: tuple[str, ...]) -> _Leaf:
        slots: dict[str, Slot | _Framed] = {}
        names: dict[Piece, str] = {}
        masked: list[Piece] = []
        for piece in pattern:
            if isinstance(piece, Text):
                masked.append(piece)
                continue
            # A slot that stands there twice has one name; a frame is filled where it stands.
            name = names.get(piece) if isinstance(piece, Slot) else None
            if name is None:
                name = _free_name(piece.name, slots)
                slots[name] = piece if isinstance(piece, Slot) else self._framed(piece, context)
                if isinstance(piece, Slot):
                    names[piece] = name
            masked.append(Slot(name, f"{{{name}}}"))
        written = write_pattern(masked)
        text = written.strip()
        begin = len(written) - len(written.lstrip())
        ends = (written[:begin], written[begin + len(text) :])
        label = self._label(context)
        self._add(label, text)
        counts = Counter(piece.name for piece in masked if isinstance(piece, Slot))
        return _Leaf(label, slots, counts, ends)

    def _add(self, label: str, text: str) -> None:
        self._size += len(text)
        if len(self.texts) == MAX_TEXTS or self._size > MAX_CHARACTERS:
            raise NoDraft(
                f"It has more than a draft is made for: {MAX_TEXTS} texts, {MAX_CHARACTERS:,} characters. "
                "Translate it by hand."
            )
        self.texts[label] = text

    def _label(self, context: tuple[str, ...]) -> str:
        label = f"{self.key[:_SHORT_KEY]} ({'; '.join(context)})" if context else self.key
        if len(label) <= _MAX_LABEL and label not in self.texts:
            return label
        number = f"{len(self.texts) + 1}: "
        return number + label[: _MAX_LABEL - len(number)]


def take_apart(key: str, source: str, locale: str) -> Segments:
    """Takes the frames and placeholders out of a message. Raises `NoDraft` where that is not possible."""
    segments = Segments(key, locale)
    try:
        segments.read(source)
    except MessageFault as fault:
        raise NoDraft(f"Its source does not compile: {fault}.") from None
    return segments


def _sentences(pattern: Pattern) -> Pattern:
    """Returns the pattern with what stands around its only frame drawn into it, so that every text is whole.

    The number of a plural around it stays outside: within the other frame it would be another one's.
    """
    frames = [number for number, piece in enumerate(pattern) if isinstance(piece, Frame)]
    if len(frames) != 1 or any(isinstance(piece, Slot) and piece.written == "#" for piece in pattern):
        return pattern
    frame = pattern[frames[0]]
    assert isinstance(frame, Frame)
    before, after = pattern[: frames[0]], pattern[frames[0] + 1 :]
    forms = {selector: merge_texts([*before, *form, *after]) for selector, form in frame.forms.items()}
    return (Frame(frame.name, frame.kind, frame.offset, forms),)


def _target_forms(frame: Frame, locale: str) -> Iterator[tuple[str, Pattern]]:
    """Yields the forms that the target language has, each with the source's text that it is made from."""
    if not frame.plural or not knows_plurals(locale):
        yield from frame.forms.items()
        return
    ordinal = frame.kind == "selectordinal"
    known = plural_categories(locale, ordinal=ordinal)
    exact = {selector: form for selector, form in frame.forms.items() if selector.startswith("=")}
    other, one = frame.forms["other"], frame.forms.get("one")
    if one is not None and _is_for_1(frame, one, locale):
        exact.setdefault(f"={1 + frame.offset}", one)
        one = None
    yield from exact.items()
    for category in (category for category in PLURAL_CATEGORIES if category in known):
        yield category, other if category == "one" and one is None else frame.forms.get(category, other)


def _is_for_1(frame: Frame, one: Pattern, locale: str) -> bool:
    """Returns whether the form is for 1 itself, and not for all that the target counts as `one`, as 21."""
    if frame.kind == "selectordinal":
        return False
    names, others = (_slot_names(form) for form in (one, frame.forms["other"]))
    if "one" not in plural_categories(locale):
        return not names <= others
    return numbers_of(locale, "one", ordinal=False) != (1,) and frame.name in others - names


def _slot_names(pattern: Pattern) -> set[str]:
    """Returns the arguments of a pattern, those of its frames included."""
    frames = [*frames_of(pattern)]
    parts = [pattern, *(form for frame in frames for form in frame.forms.values())]
    return {piece.name for part in parts for piece in part if not isinstance(piece, Text)}


def _free_name(name: str, taken: Mapping[str, object]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def _built(node: "_Leaf | _Framed", translations: Mapping[str, str]) -> Pattern:
    if isinstance(node, _Framed):
        forms = {selector: merge_texts(_built(form, translations)) for selector, form in node.forms.items()}
        return (Frame(node.frame.name, node.frame.kind, node.frame.offset, forms),)
    pieces = _read_answer(translations[node.label].strip())
    given = Counter(piece.name for piece in pieces if isinstance(piece, Slot))
    if given != node.counts:
        differing = sorted({*(given - node.counts), *(node.counts - given)})
        raise NoDraft(f"The model left out, added or repeated {{{differing[0]}}}.")
    filled: list[Piece] = [Text(node.ends[0])]
    for piece in pieces:
        if isinstance(piece, Slot):
            stands_for = node.slots[piece.name]
            filled += [stands_for] if isinstance(stands_for, Slot) else _built(stands_for, translations)
        else:
            filled.append(piece)
    return [*filled, Text(node.ends[1])]


def _read_answer(text: str) -> Pattern:
    try:
        pieces = read_pattern(text)
    except MessageFault as fault:
        raise NoDraft(f"The model's text does not compile: {fault}.") from None
    if any(
        isinstance(piece, Frame) or (isinstance(piece, Slot) and "," in piece.written) for piece in pieces
    ):
        raise NoDraft("The model's text has a plural, a select or a format of its own.")
    return pieces
