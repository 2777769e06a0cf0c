"""Finding by some of the words of a question: search itself wants all of them."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from guildhall_sdk import Host, Principal
from guildhall_sdk.services.search import DocumentRef, Search
from libs.fair_slots import TEXTS, Steps
from libs.passages import Kind, Passage, kind_of, passages

_WORD = re.compile(r"[^\W_]+")
# Each is a search of its own.
MAX_WORDS = 6
_HITS = 20
_RANK = 60
_SHORTEST = 3
_CUT_AT_ONCE = 20
MAX_PASSAGES = 2_000
# Words that questions are made of, and that say nothing of what they are about.
_EMPTY = frozenset(
    """
    the and are for was were what when where which who whom whose why how does did has have had can
    could should would will shall may might must this that these those there here with without from
    into about than then them they their our your you his her its not any all some much many more
    most between after before over under out tell give show find say says said please need want know
    mean means get got let make made one two been being de het een en van voor met zonder wat wie
    waar wanneer waarom hoe welke welk wordt worden werd werden is zijn was waren heeft hebben had
    kan kunnen kon moet moeten mag mogen zal zullen zou deze dit die dat daar hier er niet wel ook
    nog maar dan als bij naar over onder uit door tot tussen ons onze jouw uw mijn zij hij wij
    jullie ik je geen iets iemand veel meer meest krijg geef zeg toon graag que cual cuando donde
    como quien por para con sin los las una uno unos unas del sobre entre este esta estos son fue
    ser tiene hay
    """.split()  # noqa: SIM905
)


class Scored(NamedTuple):
    """A passage with how well the words of a question stand in it."""

    passage: Passage
    score: float


def telling_words(question: str) -> list[str]:
    """Returns the words of a question that say what it is about, each once, the longest first."""
    found = dict.fromkeys(_WORD.findall(question.casefold()))
    telling = [word for word in found if word not in _EMPTY and (len(word) >= _SHORTEST or word.isdigit())]
    return sorted(telling, key=lambda word: -len(word))[:MAX_WORDS]


async def documents_with(host: Host, principal: Principal, question: str) -> dict[DocumentRef, float]:
    """Returns the documents that have words of the question, with how many and how well."""
    scores: dict[DocumentRef, float] = {}
    search = host.service(Search)
    for word in telling_words(question):
        # The same word in other forms begins alike in the languages that people here write.
        found = await search.find(principal, word, limit=_HITS)
        rarity = 1.0 if found.next_cursor is None else 0.5
        for rank, item in enumerate(found.items, 1):
            document = (item["type"], item["id"])
            scores[document] = scores.get(document, 0.0) + rarity / (_RANK + rank)
    return scores


async def best_passages(org_id: str, kind: Kind, text: str, question: str, limit: int) -> Sequence[Scored]:
    """Returns the passages of a text that have most of the question's words; its first where none has any."""
    return await TEXTS.run_steps(org_id, _best(kind, text, telling_words(question), limit))


def _best(kind: Kind, text: str, words: Sequence[str], limit: int) -> Steps[list[Scored]]:
    found: list[Scored] = []
    for number, passage in enumerate(passages(text, kind)):
        folded = passage.text.casefold()
        found.append(Scored(passage, sum(word in folded for word in words) / max(1, len(words))))
        if number % _CUT_AT_ONCE == _CUT_AT_ONCE - 1:
            yield
        if number >= MAX_PASSAGES:
            break
    found.sort(key=lambda one: -one.score)
    with_words = [one for one in found if one.score > 0]
    return (with_words or found[:1])[:limit]


def kind_of_document(type_: str, key: str | None) -> Kind:
    """Returns how a document's text is cut."""
    return kind_of(key or "") if type_ == "object" else "markdown" if type_ == "note" else "prose"
