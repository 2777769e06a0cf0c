"""People, organizations, places and the like, and how sentences relate them: by rule."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from builtin_plugins.ai.simulated.facts import Facts
from builtin_plugins.ai.simulated.words import STOP_WORDS, sentences
from guildhall_sdk.dataclass import dataclass

_MAX_ENTITIES = 500
_MAX_WORDS_BETWEEN = 6
_MAX_NAME = 6
# A word, with the dots and signs that names have: B.V., O'Brien, rotterdam-newyork, C++.
_WORD = re.compile(r"[^\W_](?:[\w'’&+-]|\.(?=\w)){0,60}\.?")


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ORGANIZATION = _set(
    """inc ltd llc gmbh bv b.v nv n.v corp corporation company co plc ag sa s.a ab oy hf ehf university
    institute bank group foundation association agency ministry council guild museum society college
    school hospital committee union press church laboratories labs holding partners airlines motors
    industries"""
)
_EVENT = _set(
    "conference summit festival war fair olympics congress workshop expo exhibition symposium ceremony"
)
_PRODUCT = _set("engine phone software server suite kit machine pro app platform system tablet printer")
_PLACE = _set(
    "city street river lake island islands mountain mountains sea ocean airport harbour port square"
)
_PLACES = _set(
    """london paris berlin amsterdam rotterdam madrid barcelona rome vienna brussels reykjavik reykjavík
    oslo stockholm copenhagen dublin edinburgh lisbon prague warsaw athens geneva zurich hamburg
    munich tokyo beijing shanghai delhi mumbai sydney toronto chicago boston seattle europe africa
    asia america england scotland ireland france germany spain portugal italy netherlands belgium
    iceland norway sweden denmark finland poland austria switzerland greece turkey russia china
    japan india brazil mexico canada australia"""
)
_TITLES = _set("mr mrs ms dr prof professor sir lady lord captain president king queen minister")
_GIVEN = _set(
    """ada alan alice anna bob carlos charles david emma eva frank george grace hans henry jan jane john
    jón jose josé laura maria maría mark mary michael paul peter piet robert sara sarah thomas tom
    william"""
)
_AT_PLACE = _set("in from near to towards via")
_OF_ORGANIZATION = _set("at joined for by acquired founded")
_OF_PRODUCT = _set("released launched sells product introduced")
_JOINING = _set("of the de la van der den von &")
_COMMON = STOP_WORDS | _set(
    "extract find list summarise summarize please today yesterday tomorrow translate write answer give text "
    "monday tuesday wednesday thursday friday saturday sunday however although because since while during "
    "eur usd gbp chf isk"
)


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

    @property
    def plain(self) -> str:
        return self.text.lower().strip(".").removesuffix("'s").removesuffix("’s")

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper() or (len(self.text) > 2 and self.text[1].isupper())


def find_mentions(facts: Facts) -> Sequence[Entity]:
    """Every mention, in the order of the text."""
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
    """The first mention of each name."""
    found: dict[str, Entity] = {}
    for one in mentions:
        found.setdefault(one.name.lower(), one)
    return [*found.values()]


def find_relations(facts: Facts, mentions: Sequence[Entity]) -> Iterator[Relation]:
    """What sentences say between two mentions, or of their first and a later one."""
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
            if between[0] in _COMMON and verb:
                # "joined Acme in 2021": it is the joining that was in 2021.
                source, phrase = inside[0], [*verb.split(), *between]
            else:
                phrase = between
                verb = between[0] if between[0] not in _COMMON else verb
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
        yield _Word(match[0], match.start(), opens)
        end, opens = match.end(), False
        stops = match[0].endswith(".") and match[0].lower().strip(".") not in _TITLES
        opens = stops and not text[match.end() : match.end() + 2].strip().islower()


def _runs(words: Sequence[_Word], within: set[str]) -> Iterator[tuple[list[_Word], str]]:
    """Words with capitals that stand together, and the word before them."""
    run: list[_Word] = []
    before = last = ""
    for place, word in enumerate([*words, _Word(".", 0, True)]):
        joins = bool(run) and not word.opens and len(run) < _MAX_NAME
        named = (word.is_capital or word.text.isdecimal()) and bool(run) and _touches(run[-1], word)
        if joins and (named or (word.plain in _JOINING and _goes_on(words, place, run[-1]))):
            run.append(word)
        else:
            if run and (run := _trimmed(run, within)):
                yield run, before
            run = [word] if word.is_capital else []
            before = last
        last = word.plain


def _goes_on(words: Sequence[_Word], place: int, previous: _Word) -> bool:
    after = words[place + 1] if place + 1 < len(words) else None
    return (
        _touches(previous, words[place])
        and after is not None
        and after.is_capital
        and not after.opens
        and previous.plain in _ORGANIZATION | _PLACE | {"kingdom", "republic", "states", "isle", "ministry"}
    )


def _touches(one: _Word, other: _Word) -> bool:
    return other.start - one.start - len(one.text) <= 1


def _trimmed(run: list[_Word], within: set[str]) -> list[_Word]:
    """Without the capital that every sentence begins with, where it is no name."""
    while run and run[0].plain in _COMMON:
        run = run[1:]
    while run and run[-1].plain in _JOINING:
        run = run[:-1]
    if len(run) == 1 and run[0].opens and not _is_known(run[0].plain) and run[0].plain not in within:
        return [] if not (run[0].text.isupper() and len(run[0].text) > 1) else run
    if len(run) == 1 and (len(run[0].plain) < 2 or run[0].plain.isdecimal()):
        return []
    return run


def _is_known(word: str) -> bool:
    return word in _PLACES or word in _GIVEN


def _entity(text: str, run: Sequence[_Word], before: str) -> Entity:
    kind = _type(run, before)
    if kind == "person" and run[0].plain in _TITLES and len(run) > 1:
        run = run[1:]
    end = run[-1].start + len(run[-1].text)
    name = text[run[0].start : end]
    bare = name.removesuffix("'s").removesuffix("’s")
    abbreviated = run[-1].plain.replace(".", "") in _ORGANIZATION
    ends = bare.count(".") == 1 and text[end : end + 2].strip() == ""
    if not abbreviated or ends:
        bare = bare.rstrip(".")
    return Entity(" ".join(bare.split()), kind, run[0].start, run[0].start + len(bare))


def _type(run: Sequence[_Word], before: str) -> str:
    first, last = run[0].plain, run[-1].plain
    known = {word.plain for word in run}
    if first in _TITLES or before in _TITLES:
        return "person"
    for kind, ends in _ENDINGS.items():
        if last in ends or last.replace(".", "") in ends or (first in ends and "of" in known):
            return kind
    if known & _PLACES and len(run) <= 2:
        return "place"
    if last.isdecimal() or before in _OF_PRODUCT:
        return "product"
    if first in _GIVEN:
        return "person"
    if len(run) == 1 and run[0].text.isupper() and 2 <= len(last) <= 6:
        return "organization"
    if before in _AT_PLACE:
        return "place"
    if before in _OF_ORGANIZATION:
        return "organization"
    return "person" if 2 <= len(run) <= 3 and all(word.text[1:].islower() for word in run) else "other"


_ENDINGS: Mapping[str, frozenset[str]] = {
    "organization": _ORGANIZATION,
    "event": _EVENT,
    "product": _PRODUCT,
    "place": _PLACE,
}
