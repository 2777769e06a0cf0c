"""Terms found in texts in one pass, however many terms there are."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from builtin_plugins.translation.words import Word, split_in_steps, split_words
from libs.fair_slots import Steps

Spans = Sequence[tuple[int, int]]

_APART = "\0"
# After so many words, or terms, another company may have its turn.
_WORDS_PER_STEP = 2_000
_TERMS_PER_STEP = 100
# Each goes through the whole text.
_SEARCHES_PER_STEP = 10
# A shorter word must stand there whole; a longer one may have an ending.
_INFLECTED_FROM = 4


class Term(NamedTuple):
    """An entry of a glossary."""

    id: str
    term: str
    translation: str
    has_note: bool = False


class Occurrence(NamedTuple):
    """A term where it stands in a text."""

    begin: int
    end: int
    term: Term


class _Family:
    """The terms that begin with the same word, in the order of their keys.

    What lies between a key and a text that begins with it begins with it too. So the longest term that a text
    begins with is the last one before it in the order, or one that this begins with itself: `_shorter`.
    """

    __slots__ = ("_keys", "_shorter", "_terms", "max_words")

    def __init__(self, terms: Mapping[str, Term]) -> None:
        self._keys = sorted(terms)
        self._terms = [terms[key] for key in self._keys]
        self._shorter: list[int] = []
        self.max_words = 0
        for number, key in enumerate(self._keys):
            before = number - 1
            while before >= 0 and not key.startswith(self._keys[before]):
                before = self._shorter[before]
            self._shorter.append(before)
            self.max_words = max(self.max_words, key.count(_APART))

    def longest(self, text: str) -> tuple[Term, int] | None:
        """Returns the longest term that the text begins with, and how many words it has."""
        number = bisect_right(self._keys, text) - 1
        while number >= 0 and not text.startswith(self._keys[number]):
            number = self._shorter[number]
        return None if number < 0 else (self._terms[number], self._keys[number].count(_APART))


class TermIndex:
    """Finds terms as whole words, the longest first; in scripts without spaces, anywhere."""

    def __init__(self, families: Mapping[str, _Family] | None = None) -> None:
        self._families = families or {}

    def find(self, text: str, spans: Spans | None = None) -> Steps[Sequence[Occurrence]]:
        """Finds where terms stand in a text, or in these parts of it; none overlaps another."""
        found: list[Occurrence] = []
        for begin, end in _parts(text, spans) if self._families else ():
            words = yield from split_in_steps(text, begin, end)
            first, rest = 0, _WORDS_PER_STEP
            while first < len(words):
                if first >= rest:
                    rest = first + _WORDS_PER_STEP
                    yield
                family = self._families.get(words[first].key)
                longest = family and family.longest(_joined(words[first : first + family.max_words]))
                if longest:
                    term, length = longest
                    found.append(Occurrence(words[first].begin, words[first + length - 1].end, term))
                    first += length
                else:
                    first += 1
        return found


def index_terms(terms: Sequence[Term]) -> Steps[TermIndex]:
    """Makes an index; of two terms that are the same but for their spelling the first counts."""
    by_first: dict[str, dict[str, Term]] = {}
    for number, term in enumerate(terms):
        if number % _TERMS_PER_STEP == 0:
            yield
        words = split_words(term.term)
        by_first.setdefault(words[0].key, {}).setdefault(_joined(words), term)
    families: dict[str, _Family] = {}
    for number, (first, family) in enumerate(by_first.items()):
        if number % _TERMS_PER_STEP == 0:
            yield
        families[first] = _Family(family)
    return TermIndex(families)


def _joined(words: Sequence[Word]) -> str:
    """Returns the keys of words, each with an end: no text begins with half a word."""
    return "".join([word.key + _APART for word in words])


def terms_of(occurrences: Iterable[Occurrence]) -> Sequence[Term]:
    """Returns each term once, in the order of the text."""
    return [*{found.term.id: found.term for found in occurrences}.values()]


def put_translations(text: str, occurrences: Sequence[Occurrence]) -> str:
    """Returns the text with the translation of each term in its place."""
    pieces, at = [], 0
    for found in occurrences:
        pieces += [text[at : found.begin], found.term.translation]
        at = found.end
    return "".join([*pieces, text[at:]])


def missing_translations(
    text: str, terms: Sequence[Term], spans: Spans | None = None
) -> Steps[Sequence[Term]]:
    """Gives those of the terms whose translation does not stand in the text; a word may have an ending."""
    if not terms:
        return []
    words: list[str] = []
    for begin, end in _parts(text, spans):
        found = yield from split_in_steps(text, begin, end)
        words += [*(word.key for word in found), ""]
    marked = f"{_APART}{_APART.join(words)}{_APART}"
    missing = []
    for number, term in enumerate(terms):
        if number % _SEARCHES_PER_STEP == 0:
            yield
        if _marked(term.translation) not in marked:
            missing.append(term)
    return missing


def replace_leftovers(
    text: str, terms: Sequence[Term], missing: Sequence[Term], spans: Spans | None = None
) -> Steps[str]:
    """Puts the translation of each missing term where the text still has the term itself.

    Not inside the translation of another term, which may hold the same word.
    """
    missed = {term.id for term in missing}
    fine = [Term(term.id, term.translation, term.translation) for term in terms if term.id not in missed]
    index = yield from index_terms([*fine, *missing])
    found = yield from index.find(text, spans)
    return put_translations(text, [one for one in found if one.term.id in missed])


def _parts(text: str, spans: Spans | None) -> Spans:
    return [(0, len(text))] if spans is None else spans


def _marked(translation: str) -> str:
    keys = [word.key for word in split_words(translation)]
    ending = _APART if len(keys[-1]) < _INFLECTED_FROM else ""
    return f"{_APART}{_APART.join(keys)}{ending}"
