"""How texts are indexed: the words that each is found by, and filling the index with them.

A text is found by its words, and by pairs of characters where a script has no spaces. Each word carries a
mark of its company. A company's words are then a place of their own in the index: a search walks past nobody
else's, and how common a word is elsewhere can be told from nothing. In SQLite's index the words of titles,
and those that come often, carry one more: a column alone would not keep a search for them from walking past
all the texts.
"""

import asyncio
import base64
import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from guildhall_sdk import Host, Writer, load_queries
from guildhall_sdk.services.search import Findable, PassageIndex
from libs.fair_slots import TEXTS, Steps, finished

MAX_CHARACTERS = 1_000_000
EXCERPT_CHARACTERS = 8_000
# PostgreSQL takes a megabyte of different words with their places.
MAX_BYTES = 900_000
_BYTES_PER_WORD = 8
# Often: so many times, and at least once in so many words.
_TIMES, _IN_WORDS = 3, 200
# Longer texts are taken apart on a thread, so much of them at once.
_LONG, _AT_ONCE = 4_000, 20_000
# So many characters are put into the index within some microseconds.
_FEW = 400

# To be changed with the way that texts are taken apart, so that those that come again are.
_MANNER = "2"

# A word that nobody can ask for: no phrase spans what stands before and after it.
_BETWEEN = " x "

_BLANKS = re.compile(r"[\x00-\x20\x7f\s]+")

sql = load_queries(Path(__file__).with_name("queries.sql"))
# Of a document that was not there SQLite's index only notes them, and writes them down with the commit.
_put_few = replace(sql.put_document, quick=True)


class Indexed(NamedTuple):
    """A text as the index takes it: words with their company's mark, a blank between them.

    What is `apart` is for SQLite, which has the words of all companies in one table.
    """

    title_words: str
    often_words: str
    body_words: str
    excerpt: str
    apart_title: str
    apart_often: str
    apart_body: str


class TakenApart(NamedTuple):
    """The words of a text, in order, and those of them that come often; both with the company's mark."""

    org_id: str
    text: str
    words: str
    often: Sequence[str]


class StoredIndex:
    """The service `SearchIndex`."""

    def __init__(self, host: Host) -> None:
        self._passages = partial(host.find_service, PassageIndex)

    async def prepare(self, org_id: str, text: str) -> TakenApart | None:
        return await TEXTS.run_steps(org_id, _steps_apart(org_id, text)) if len(text) > _LONG else None

    async def put(self, writer: Writer, found: Findable) -> None:
        long = len(found.text) > _LONG
        digest = await asyncio.to_thread(_digest, found) if long else _digest(found)
        before = None if found.new else await writer.one(sql.digest_of, type=found.type, ref_id=found.ref_id)
        if before is not None and before["digest"] == digest:
            return
        indexed = await asyncio.to_thread(take_apart, found) if long else take_apart(found)
        few = before is None and len(found.title) + len(found.text) <= _FEW
        await writer.run(_put_few if few else sql.put_document, **document_binds(found, indexed, digest))
        if (passages := self._passages()) is not None:
            await passages.changed(writer, found)

    async def remove(self, writer: Writer, type: str, ref_id: str) -> None:
        await writer.run(sql.remove_document, type=type, ref_id=ref_id)
        if (passages := self._passages()) is not None:
            await passages.removed(writer, type, ref_id)


def _digest(found: Findable) -> str:
    """Digests all that an entry is made of, and how it is made."""
    parts = (_MANNER, found.org_id, found.team_id, found.title, found.text[:MAX_CHARACTERS])
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(f"{len(part)}:{part}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def document_binds(found: Findable, indexed: Indexed, digest: str | None) -> dict[str, Any]:
    """Returns the binds of `put_document`."""
    return {
        "type": found.type,
        "ref_id": found.ref_id,
        "org_id": found.org_id,
        "team_id": found.team_id,
        "title": _flat(found.title),
        "excerpt": indexed.excerpt,
        "digest": digest,
        "title_words": indexed.title_words,
        "often_words": indexed.often_words,
        "body_words": indexed.body_words,
        "apart_title": indexed.apart_title,
        "apart_often": indexed.apart_often,
        "apart_body": indexed.apart_body,
    }


def take_apart(found: Findable) -> Indexed:
    mark = company_mark(found.org_id)
    title = " ".join(map(mark.__add__, indexed_words(found.title)))
    prepared, of_this = found.prepared, (found.org_id, found.text)
    if isinstance(prepared, TakenApart) and (prepared.org_id, prepared.text) == of_this:
        body = prepared
    elif len(found.text) <= _LONG:
        words = [*map(mark.__add__, indexed_words(found.text))]
        body = TakenApart(*of_this, " ".join(words), _often(Counter(words), len(words)))
    else:
        body = finished(_steps_apart(*of_this))
    # No two of them are neighbours: standing there side by side, they are not a phrase of the text.
    often_apart = f" {mark} ".join(body.often)
    return Indexed(
        title_words=title,
        often_words=" ".join(body.often),
        body_words=body.words,
        excerpt=_flat(found.text[: 2 * EXCERPT_CHARACTERS])[:EXCERPT_CHARACTERS],
        apart_title=marked(TITLE_MARK, title),
        apart_often=marked(OFTEN_MARK, f"{title}{_BETWEEN}{often_apart}"),
        apart_body=f"{title}{_BETWEEN}{body.words}",
    )


def _steps_apart(org_id: str, text: str) -> Steps[TakenApart]:
    """Returns the words in order, and those of them that come often; words past what fits are left out.

    Few of them are held at a time that are not kept: to let go of a million at once takes a while too.
    """
    mark = company_mark(org_id)
    joined: list[str] = []
    total = 0
    times: Counter[str] = Counter()
    room = MAX_BYTES
    found = indexed_words(text[:MAX_CHARACTERS])
    while some := [mark + word for word in islice(found, _AT_ONCE)]:
        counted = Counter(some)
        fresh = [word for word in counted if word not in times]
        fitting, room = _fitting(fresh, room)
        if len(fitting) < len(fresh):
            for word in fresh[len(fitting) :]:
                del counted[word]
            some = [word for word in some if word in counted]
        times.update(counted)
        total += len(some)
        joined += [" ".join(some)] if some else []
        yield
    return TakenApart(org_id, text, " ".join(joined), _often(times, total))


def _often(times: Counter[str], total: int) -> list[str]:
    least, often = max(_TIMES, total // _IN_WORDS), list[str]()
    for word, count in times.items():
        if count >= least:
            often.append(word)
    return often


def _fitting(words: list[str], room: int) -> tuple[list[str], int]:
    """Returns the first words that there is room for, and the room left: none, once one does not fit."""
    for number, word in enumerate(words):
        taken = len(word.encode()) + _BYTES_PER_WORD
        if taken > room:
            return words[:number], 0
        room -= taken
    return words, room


def _flat(text: str) -> str:
    """Returns the text on one line, and free of the characters that mark a hit."""
    return _BLANKS.sub(" ", text).strip()


_MARK_LENGTH = 4
TITLE_MARK, OFTEN_MARK = "t", "o"

# Accents and vowel points, which people leave out. Not the marks without which a script cannot be read,
# such as the vowels of Devanagari or the voicing of kana.
_LEFT_OUT = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
    "\ufe20-\ufe2f\u00ad\u200c\u200d\u2060\ufeff]+"
)
# Letters that Unicode does not take apart.
_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "ı": "i", "ŧ": "t"}
)
# Putting the marks of a letter in order costs the square of their number, and no script stacks so many.
_MAX_MARKS = 30
_MARK = r"[^\w\x00-\u02ff]"
_TOO_MANY_MARKS = re.compile(f"(?<!{_MARK})({_MARK}{{{_MAX_MARKS}}}){_MARK}++")
_APART = "\n"
# Letters to Python, and marks once they are folded.
_HALF_WIDTH_VOICING = (("\uff9e", "\u3099"), ("\uff9f", "\u309a"))
LONGEST_WORD = 64
# One character may fold to eighteen: what is taken apart is counted as it comes out.
MAX_FOLDED = 2_000_000
# Taken apart in one go; between two of them another thread has its turn.
_PIECE = 8_000
_NEAR_END = 500
# Thai, Lao, Burmese, Khmer, kana, Han and Hangul: whoever looks for a part of a run must find it.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3"
    "\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
# Marks inside the words of scripts that have spaces; Python does not count them as letters.
_MARKS = "\u0900-\u0963\u0970-\u0dff\u0f71-\u0f84"
IN_WORD = f"(?:[^\\W_]|[{_MARKS}])"
_PLAIN_RUN = re.compile("[a-z0-9]+")
_FIRST_UNSPACED = "\u0e01"


@cache
def _run_of_any_script() -> re.Pattern[str]:
    """Compiles it for the first text that has more than ASCII: that takes some milliseconds."""
    return re.compile(f"[{_UNSPACED}]++|(?:[^\\W_{_UNSPACED}]|[{_MARKS}])++")


@cache
def _unspaced_character() -> re.Pattern[str]:
    return re.compile(f"[{_UNSPACED}]")


@lru_cache(maxsize=4096)
def company_mark(org_id: str) -> str:
    """Returns a company's mark, short as it stands before every word; two that share one see their own."""
    digest = hashlib.blake2b(org_id.encode(), digest_size=5).digest()
    return base64.b32encode(digest).decode().lower()[:_MARK_LENGTH]


def marked(mark: str, words: str) -> str:
    """Returns words as they stand in SQLite's index, each behind a mark.

    `TITLE_MARK` is that of a title's words, `OFTEN_MARK` that of a title's and those that come often.
    """
    return mark + words.replace(" ", " " + mark) if words else ""


def fold(text: str) -> str:
    """Returns one spelling for what people type in several: without case, accents, width and ligatures.

    Done here and not by the databases: both then find the same, whatever Unicode they were built with.
    """
    if text.isascii():
        return text.lower()
    for half_width, mark in _HALF_WIDTH_VOICING:
        text = text.replace(half_width, mark)
    text = _TOO_MANY_MARKS.sub(r"\1", text)
    bare = _LEFT_OUT.sub("", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFKC", bare).translate(_LETTERS)


def fold_each(text: str) -> tuple[str, list[int]]:
    """Returns the text with each character folded by itself, and how many characters each became.

    All different characters are folded in one go, with something between them that folding leaves alone.
    """
    if text.isascii():
        return text.lower(), [1] * len(text)
    characters = [*(set(text) - {_APART})]
    folded = dict(zip(characters, fold(_APART.join(characters)).split(_APART), strict=True))
    folded[_APART] = _APART
    pieces = [folded[character] for character in text]
    return "".join(pieces), [len(piece) for piece in pieces]


def runs_of(text: str) -> list[str]:
    """Returns the runs of letters and digits, folded; one of a script without spaces is a run of its own."""
    folded = fold(text)
    return (_PLAIN_RUN if folded.isascii() else _run_of_any_script()).findall(folded)


def is_unspaced(run: str) -> bool:
    return run[0] >= _FIRST_UNSPACED and _unspaced_character().match(run) is not None


def indexed_words(text: str) -> Iterator[str]:
    """Yields the words in order; a run without spaces gives every pair of neighbours, and its last alone."""
    room = MAX_FOLDED
    for piece in [text] if len(text) <= _PIECE else _pieces(text):
        runs = runs_of(piece)
        room -= sum(map(len, runs))
        if room < 0:
            return
        for run in runs:
            if run.isascii() or not is_unspaced(run):
                yield run[:LONGEST_WORD]
            else:
                yield from _pairs(run)
                yield run[-1]


def _pieces(text: str) -> Iterator[str]:
    """Yields pieces cut between words; a word that has no end in sight is cut in two."""
    start = 0
    while len(text) - start > _PIECE:
        end = start + _PIECE
        near = range(end, end - _NEAR_END, -1)
        end = next((at for at in near if unicodedata.category(text[at - 1])[0] in "PZC"), end)
        yield text[start:end]
        start = end
    yield text[start:]


def words_of_runs(runs: Sequence[str]) -> tuple[list[str], bool]:
    """Returns the words that stand side by side where these runs do, and whether the last is a beginning."""
    words: list[str] = []
    for run in runs[:-1]:
        words += [*_pairs(run), run[-1]] if is_unspaced(run) else [run[:LONGEST_WORD]]
    last = runs[-1]
    if not is_unspaced(last):
        return [*words, last[:LONGEST_WORD]], False
    # The last run may go on in the text: its last character is then no word of its own there.
    pairs = _pairs(last)
    return [*words, *(pairs or [last])], not pairs


def _pairs(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(len(run) - 1)]
