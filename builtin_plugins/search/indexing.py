"""Filling the index, and merging its segments, of which every commit adds one to SQLite's.

SQLite merges some as it writes, but leaves more of them the more documents there are. PostgreSQL has none.
"""

import asyncio
import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from builtin_plugins.search.words import OFTEN_MARK, TITLE_MARK, company_mark, indexed_words, marked
from guildhall_sdk import Host, Reader, SearchSource, Writer, load_queries
from guildhall_sdk.data import Data
from guildhall_sdk.plugin import PluginData, RemovedPlugin
from guildhall_sdk.services.search import Findable
from libs.fair_slots import TEXTS, Steps, finished

MAX_CHARACTERS = 1_000_000
EXCERPT_CHARACTERS = 8_000
# PostgreSQL takes a megabyte of different words with their places.
MAX_BYTES = 900_000
_BYTES_PER_WORD = 8
# Often: so many times, and at least once in so many words.
_TIMES, _IN_WORDS = 3, 200
# Longer texts are taken apart on a thread.
_LONG = 4_000
_AT_ONCE = 20_000
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


@dataclass(frozen=True, slots=True)
class Indexed:
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


@dataclass(frozen=True, slots=True)
class TakenApart:
    """The words of a text, in order, and those of them that come often; both with the company's mark."""

    org_id: str
    text: str
    words: str
    often: Sequence[str]


class StoredIndex:
    """The service `SearchIndex`."""

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

    async def remove(self, writer: Writer, type: str, ref_id: str) -> None:
        await writer.run(sql.remove_document, type=type, ref_id=ref_id)


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
        body = _take_short_apart(*of_this)
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


def _take_short_apart(org_id: str, text: str) -> TakenApart:
    """Returns the words in order, and those of them that come often; there is room for all."""
    mark = company_mark(org_id)
    words = [*map(mark.__add__, indexed_words(text))]
    return TakenApart(org_id, text, " ".join(words), _often(Counter(words), len(words)))


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
    least = max(_TIMES, total // _IN_WORDS)
    return [word for word, count in times.items() if count >= least]


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


MAX_SEGMENTS = 4
# A server that has just started has other work first.
_FIRST_SECONDS, _EVERY_SECONDS = 600.0, 24 * 3600.0
# So many pages of four kilobytes are written at once: others write in between.
_PAGES, _REST_SECONDS = 64, 0.01


async def keep_merged(host: Host) -> None:
    """Merges the segments once a day, as long as the server runs."""
    await asyncio.sleep(_FIRST_SECONDS)
    while True:
        await merge_segments(host.data)
        await asyncio.sleep(_EVERY_SECONDS)


async def merge_segments(data: Data, pages: int = _PAGES) -> None:
    """Merges the segments into one where they are many; what is merged stays so if this ends early."""
    async with data.read() as reader:
        if int(await reader.value(sql.count_segments)) <= MAX_SEGMENTS:
            return
    # A negative number begins a merge of all segments, a positive one goes on with it.
    more = await _merge_some(data, -pages)
    while more:
        await asyncio.sleep(_REST_SECONDS)
        more = await _merge_some(data, pages)


async def _merge_some(data: Data, pages: int) -> bool:
    """Returns whether there was anything to merge."""
    async with data.write(durable=False) as writer:
        before = int(await writer.value(sql.count_changes))
        await writer.run(sql.merge, pages=pages)
        # The row of the command itself counts as one.
        return int(await writer.value(sql.count_changes)) - before > 1


async def _count_documents(reader: Reader, removed: RemovedPlugin) -> int:
    return int(await reader.value(sql.count_of_types, names=_types(removed)))


async def _remove_documents(writer: Writer, removed: RemovedPlugin) -> None:
    """Removes the documents, and how far the index had come: the next install begins anew."""
    await writer.run(sql.drop_words_of_types, names=_types(removed))
    await writer.run(sql.drop_documents_of_types, names=_types(removed))
    await writer.run(sql.drop_progress_of_types, names=_types(removed))


def _types(removed: RemovedPlugin) -> str:
    return json.dumps([*removed.names(SearchSource)])


PLUGIN_DATA = (PluginData(name="search documents", count=_count_documents, remove=_remove_documents),)
