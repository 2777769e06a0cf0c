"""Terms found in texts in one pass, however many terms there are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from builtin_plugins.translation.words import Word, split_words
from guildhall_sdk.fairness import Steps

Spans = Sequence[tuple[int, int]]

_TERM = ""  # where a branch of the tree keeps the term that ends there; no word has this key
_APART = "\0"
# After so many words, or terms, another company may have its turn.
_WORDS_PER_STEP = 2_000
_TERMS_PER_STEP = 200
# A shorter word must stand there whole; a longer one may have an ending.
_INFLECTED_FROM = 4


@dataclass(frozen=True, slots=True)
class Term:
    """An entry of a glossary."""

    id: str
    term: str
    translation: str
    has_note: bool = False


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A term where it stands in a text."""

    begin: int
    end: int
    term: Term


class TermIndex:
    """Finds terms as whole words, the longest first; in scripts without spaces, anywhere."""

    def __init__(self) -> None:
        self._root: dict[str, Any] = {}

    def add(self, term: Term) -> None:
        """Takes a term in, unless there is one already that is the same but for its spelling."""
        branch = self._root
        for word in split_words(term.term):
            branch = branch.setdefault(word.key, {})
        branch.setdefault(_TERM, term)

    def find(self, text: str, spans: Spans | None = None) -> Steps[Sequence[Occurrence]]:
        """Finds where terms stand in a text, or in these parts of it; none overlaps another."""
        found: list[Occurrence] = []
        for begin, end in _parts(text, spans) if self._root else ():
            words = split_words(text, begin, end)
            first, rest = 0, _WORDS_PER_STEP
            while first < len(words):
                if first >= rest:
                    rest = first + _WORDS_PER_STEP
                    yield
                term, after = self._longest(words, first)
                if term is not None:
                    found.append(Occurrence(words[first].begin, words[after - 1].end, term))
                first = after
        return found

    def _longest(self, words: Sequence[Word], first: int) -> tuple[Term | None, int]:
        """The longest term that begins with this word, and the word behind it."""
        branch, longest, after = self._root, None, first + 1
        for number in range(first, len(words)):
            branch = branch.get(words[number].key)  # type: ignore[assignment]
            if branch is None:
                break
            if _TERM in branch:
                longest, after = branch[_TERM], number + 1
        return longest, after


def index_terms(terms: Sequence[Term]) -> Steps[TermIndex]:
    """Makes an index; of two terms that are the same but for their spelling the first counts."""
    index = TermIndex()
    for number, term in enumerate(terms):
        if number % _TERMS_PER_STEP == 0:
            yield
        index.add(term)
    return index


def terms_of(occurrences: Iterable[Occurrence]) -> Sequence[Term]:
    """Each term once, in the order of the text."""
    return [*{found.term.id: found.term for found in occurrences}.values()]


def put_translations(text: str, occurrences: Sequence[Occurrence]) -> str:
    """The text with the translation of each term in its place."""
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
    parts = _parts(text, spans)
    words = [word.key for begin, end in parts for word in [*split_words(text, begin, end), Word(0, 0, "")]]
    marked = f"{_APART}{_APART.join(words)}{_APART}"
    missing = []
    for number, term in enumerate(terms):
        if number % _TERMS_PER_STEP == 0:
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
