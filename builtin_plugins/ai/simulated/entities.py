"""People, organizations, places and the like, and how sentences relate them: by rule."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from builtin_plugins.ai.simulated.facts import Facts
from builtin_plugins.ai.simulated.name_words import (
    AT_PLACE,
    COMMON,
    ENDINGS,
    GENERIC,
    GIVEN,
    JOINING,
    LEGAL_FORMS,
    OF_ORGANIZATION,
    OF_PRODUCT,
    ORGANIZATION,
    PARTICLES,
    PLACE,
    PLACES,
    SMALL_FORMS,
    TITLES,
    is_of_family,
    is_person_word,
)
from builtin_plugins.ai.simulated.words import sentences

_MAX_ENTITIES = 500
_MAX_WORDS_BETWEEN = 6
_MAX_NAME = 6
# A word, with the dots and signs that names have: B.V., O'Brien, rotterdam-newyork, C++.
_WORD = re.compile(r"[^\W_](?:[\w'’&+-]|\.(?=\w)){0,60}\.?")

_JOINABLE = ORGANIZATION | PLACE | {"kingdom", "republic", "states", "isle", "ministry"}
_NO_PERSON = PLACES | ORGANIZATION | GENERIC | COMMON
_SMALL = JOINING | PARTICLES
# As in GmbH & Co. KG: the dot ends no sentence.
_FORM_FOLLOWS = re.compile(r" (?:KG|KGaA|OHG|Ltd|Inc|LLC|AG)\b")


@dataclass(frozen=True, slots=True)
class Entity:
    """`type` is person, organization, place, product, event, date or other."""

    name: str
    type: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Relation:
    source: Entity
    predicate: str
    target: Entity
    sentence: str


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    opens: bool
    gap: str = " "

    @property
    def touches(self) -> bool:
        """Whether nothing but a space, or an ampersand, stands between the word before and this one."""
        return self.gap.strip() in ("", "&") and len(self.gap) <= 3

    @property
    def is_particle(self) -> bool:
        return self.text in PARTICLES

    @property
    def plain(self) -> str:
        return self.text.lower().strip(".").removesuffix("'s").removesuffix("’s")

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper() or (len(self.text) > 2 and self.text[1].isupper())


def find_mentions(facts: Facts) -> Sequence[Entity]:
    """Returns every mention, in the order of the text."""
    dates = [Entity(one.text, "date", one.start, one.start + len(one.text)) for one in facts.dates]
    words = [*_words(facts.text)]
    within = {word.plain for word in words if word.is_capital and not word.opens}
    starts = [one.start for one in dates]
    found: list[Entity] = []
    for run, before in _runs(words, within):
        entity = _entity(facts.text, run, before)
        place = bisect_right(starts, entity.end) - 1
        if place < 0 or dates[place].end <= entity.start:
            found.append(entity)
        if len(found) == _MAX_ENTITIES:
            break
    return sorted([*found, *dates[:_MAX_ENTITIES]], key=lambda one: one.start)


def distinct(mentions: Sequence[Entity]) -> Sequence[Entity]:
    """Returns the first mention of each name."""
    found: dict[str, Entity] = {}
    for one in mentions:
        found.setdefault(one.name.lower(), one)
    return [*found.values()]


def find_relations(facts: Facts, mentions: Sequence[Entity]) -> Iterator[Relation]:
    """Yields what sentences say between two mentions, or of their first and a later one."""
    named = {one.name.lower(): one for one in distinct(mentions)}
    starts = [one.start for one in mentions]
    place = 0
    for sentence in sentences(facts.text):
        begin = facts.text.find(sentence[:40], place)
        if begin < 0:
            continue
        place = begin + len(sentence)
        inside = mentions[bisect_left(starts, begin) : bisect_left(starts, place)]
        verb = ""
        for one, other in pairwise(inside):
            between = _phrase(facts.text[one.end : other.start])
            if between is None:
                continue
            source = one
            if between[0] in COMMON and verb:
                # "joined Acme in 2021": it is the joining that was in 2021.
                source, phrase = inside[0], [*verb.split(), *between]
            else:
                phrase = between
                verb = between[0] if between[0] not in COMMON else verb
            if source.name.lower() != other.name.lower():
                pair = named[source.name.lower()], named[other.name.lower()]
                yield Relation(pair[0], "_".join(phrase), pair[1], sentence)


def _phrase(between: str) -> list[str] | None:
    if len(between) > 120 or any(sign in between for sign in ".;:!?\n"):
        return None
    found = [word.plain for word in _words(between) if word.plain not in {"the", "a", "an", "also", "and"}]
    return found if 0 < len(found) <= _MAX_WORDS_BETWEEN else None


def _words(text: str) -> Iterator[_Word]:
    end, opens = 0, True
    for match in _WORD.finditer(text):
        gap = text[end : match.start()]
        opens = opens or any(sign in gap for sign in '.!?\n:|*#"“•')
        yield _Word(match[0], match.start(), opens, gap)
        end, opens = match.end(), False
        stops = match[0].endswith(".") and match[0].lower().strip(".") not in TITLES
        stops = stops and _FORM_FOLLOWS.match(text, match.end()) is None
        opens = stops and not text[match.end() : match.end() + 2].strip().islower()


def _runs(words: Sequence[_Word], within: set[str]) -> Iterator[tuple[list[_Word], str]]:
    """Words with capitals that stand together, and the word before them."""
    run: list[_Word] = []
    before = last = ""
    for place, word in enumerate([*words, _Word(".", 0, True)]):
        joins = bool(run) and not word.opens and len(run) < _MAX_NAME
        in_name = word.is_capital or word.text.isdecimal() or word.plain in SMALL_FORMS
        named = in_name and bool(run) and word.touches
        if joins and (named or _goes_on(words, place, run[-1]) or _is_of_a_name(words, place, run)):
            run.append(word)
        else:
            if run and (run := _trimmed(run, within)):
                yield run, before
            run = [word] if word.is_capital else []
            before = last
        last = word.plain


def _goes_on(words: Sequence[_Word], place: int, previous: _Word) -> bool:
    """Returns whether the word joins two parts of one name, as in University of Iceland."""
    if place + 1 >= len(words) or words[place].plain not in JOINING or not words[place].touches:
        return False
    after = words[place + 1]
    return after.is_capital and not after.opens and previous.plain in _JOINABLE


def _is_of_a_name(words: Sequence[_Word], place: int, run: Sequence[_Word]) -> bool:
    """Returns whether the word is the small one in the name of a person: Piet de Vries, Anna van der Berg."""
    previous, after = next(word.plain for word in reversed(run) if not word.is_particle), place
    if previous in _NO_PERSON:
        return False
    while after < len(words) and words[after].is_particle and words[after].touches:
        after += 1
    if after in (place, len(words)) or words[after].plain in PLACES:
        return False
    last = after
    while last < len(words) and words[last].is_capital and words[last].touches and not words[last].opens:
        last += 1
    return last > after and words[last - 1].plain.replace(".", "") not in ORGANIZATION


def _trimmed(run: list[_Word], within: set[str]) -> list[_Word]:
    """Drops words that are no part of a name, such as a capital that every sentence begins with."""
    while run and run[0].plain in COMMON and not (len(run) > 1 and _is_surname(run[0])):
        run = run[1:]
    while run and run[-1].plain in _SMALL:
        run = run[:-1]
    if all(word.plain in GENERIC or word.text.isdecimal() for word in run):
        return []  # Minutes 7, Annual Report
    if len(run) == 1 and run[0].opens and not _is_known(run[0].plain) and run[0].plain not in within:
        return [] if not (run[0].text.isupper() and len(run[0].text) > 1) else run
    if len(run) == 1 and (len(run[0].plain) < 2 or run[0].plain.isdecimal()):
        return []
    return run


def _is_surname(word: _Word) -> bool:
    """Returns whether a capital begins a bare surname, as in De Vries; not where a sentence begins."""
    return not word.opens and word.plain in PARTICLES


def _is_known(word: str) -> bool:
    return word in PLACES or word in GIVEN


def _entity(text: str, run: Sequence[_Word], before: str) -> Entity:
    kind = _type(run, before)
    if kind == "person" and run[0].plain in TITLES and len(run) > 1:
        run = run[1:]
    end = run[-1].start + len(run[-1].text)
    name = text[run[0].start : end]
    bare = name.removesuffix("'s").removesuffix("’s")
    abbreviated = run[-1].plain.replace(".", "") in LEGAL_FORMS
    ends = bare.count(".") == 1 and text[end : end + 2].strip() == ""
    if not abbreviated or ends:
        bare = bare.rstrip(".")
    return Entity(" ".join(bare.split()), kind, run[0].start, run[0].start + len(bare))


def _type(run: Sequence[_Word], before: str) -> str:
    first, last = run[0].plain, run[-1].plain
    known = {word.plain for word in run}
    if first in TITLES or before in TITLES:
        return "person"
    for kind, ends in ENDINGS.items():
        if last in ends or last.replace(".", "") in ends or (first in ends and "of" in known):
            return kind
    if any("&" in word.gap for word in run[1:]):
        return "organization"
    if known & PLACES and len(run) <= 2:
        return "place"
    if last.isdecimal() or before in OF_PRODUCT:
        return "product"
    if first in GIVEN or _is_a_persons(run):
        return "person"
    if len(run) == 1 and run[0].text.isupper() and 2 <= len(last) <= 6:
        return "organization"
    if before in AT_PLACE:
        return "place"
    if before in OF_ORGANIZATION:
        return "organization"
    return "person" if len(run) in (2, 3) and _are_names(run) and not known & GENERIC else "other"


def _is_a_persons(run: Sequence[_Word]) -> bool:
    """Returns whether a word in it is one that only people's names have."""
    if len(run) < 2 or not _are_names(run):
        return False
    return any(word.plain in PARTICLES for word in run) or is_of_family(run[-1].text)


def _are_names(run: Sequence[_Word]) -> bool:
    return all(word.is_particle or is_person_word(word.text) for word in run)
