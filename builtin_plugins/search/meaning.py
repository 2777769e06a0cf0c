"""Search by meaning, and by words and meaning together: two orders made one by reciprocal rank.

The passages that are nearest come of everybody's texts, and are walked in that order, a batch at a time, as
far as it takes to have enough that the caller may read. For whoever reads little, what they may read alone is
compared. So what somebody may not read takes no place from what they may.
"""

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from itertools import accumulate
from typing import Any, NamedTuple

from builtin_plugins.search.finding import SCORES, Failed, Found, Question, few_of, find, readable_among
from builtin_plugins.search.query_parser import ParsedQuery, read_query
from builtin_plugins.search.snippets import HIT_BEGINS, HIT_ENDS
from guildhall_sdk import Host, InvalidRequest, Principal, Problem, Reader, Row
from guildhall_sdk.replies import encode_cursor
from guildhall_sdk.services.search import DocumentRef, FindNear, NearPassage, PassageIndex, SearchMode

#: Of either order so many are made one; what stands behind them is found by words, page by page.
WINDOW = 50
# The usual constant: the first of one order does not outweigh what stands well in both.
_RANK = 60
_MAX_MEANING = 500
_AT_ONCE = 64
_SHORTEST = 3
_HARDLY = 20
_QUESTION_SECONDS = 8.0
_MARKS = str.maketrans("", "", HIT_BEGINS + HIT_ENDS)
_QUOTED = re.compile(r'["“”„‟«»＂]')
_CURSOR = re.compile(r"(fused|behind|meaning):([0-9]{1,4}):([0-9.]{1,24})")
_MAX_PASSAGE = 2_000
_log = logging.getLogger("guildhall.search")


class Near(NamedTuple):
    """A document that the caller may read, with its nearest passage."""

    row: Row
    passage: NearPassage


class MeaningSearch:
    """One search of one caller."""

    def __init__(
        self, host: Host, caller: Principal, question: Question, now_ms: int, failed: Failed
    ) -> None:
        self._host = host
        self._caller = caller
        self._question = question
        self._now_ms = now_ms
        self._failed = failed
        self._limit = question.fetched - 1
        self._passages = host.find_service(PassageIndex)
        self._query: ParsedQuery | None = None
        self._find_near: FindNear | None = None
        self._best: dict[DocumentRef, NearPassage] = {}
        self._found_by: dict[DocumentRef, list[str]] = {}

    async def page(self, mode: SearchMode | None) -> Found:
        """Finds one page; by words alone where there is nothing to compare meanings with."""
        at = _CURSOR.fullmatch(self._question.after or "")
        if at is not None:
            mode = "meaning" if at[1] == "meaning" else "hybrid"
        elif self._question.after is not None:
            mode = "words"
        self._query = read_query(self._question.typed)
        unavailable = () if mode == "words" else await self._read_question(mode)
        if self._find_near is None:
            if at is not None:
                raise InvalidRequest.at("?cursor", "goes on by meaning, which is not there now; begin anew")
            found = await self._words(self._question)
            return found._replace(unavailable=[*found.unavailable, *unavailable])
        async with self._host.data.read() as reader:
            if mode == "meaning":
                return await self._by_meaning(reader, int(at[3]) if at is not None else 0)
            return await self._by_both(reader, at)

    async def _read_question(self, mode: SearchMode | None) -> Sequence[str]:
        """Has the question embedded; a model that fails leaves the words, and is named."""
        if self._passages is None or not self._asks_for_meaning(mode):
            return ()
        text = _QUOTED.sub(" ", self._question.typed)
        try:
            async with asyncio.timeout(_QUESTION_SECONDS):
                self._find_near = await self._passages.question(self._caller, text)
        except (Problem, TimeoutError) as error:
            if mode == "meaning" and isinstance(error, Problem):
                raise
            _log.warning("search.no_meaning", exc_info=error, extra={"fields": {"mode": mode}})
            return ("meaning",)
        return ()

    def _asks_for_meaning(self, mode: SearchMode | None) -> bool:
        """Tells whether what was typed has a meaning: who says "this phrase" or -this wants words."""
        assert self._query is not None
        if mode == "meaning":
            return bool(self._query.wanted)
        exact = self._query.unwanted or _QUOTED.search(self._question.typed)
        long = sum(len(run) for term in self._query.wanted for run in term.runs) >= _SHORTEST
        return not exact and long

    async def _words(self, question: Question, reader: Reader | None = None) -> Found:
        if reader is None:
            async with self._host.data.read() as own:
                return await self._words(question, own)
        return await find(reader, self._caller, question, self._now_ms, self._failed)

    async def _by_meaning(self, reader: Reader, start: int) -> Found:
        end = min(_MAX_MEANING, start + self._limit)
        windows = -(-end // WINDOW)
        near = await self._near(reader, min(_MAX_MEANING, windows * WINDOW + 1), WINDOW)
        some = near[start:end]
        for one in some:
            self._found_by[one.passage.document] = ["meaning"]
        cursor = encode_cursor(f"meaning:0:{end}") if len(near) > end else None
        # Never more than what stands before, in a window before its own.
        scores = list(accumulate((max(0.0, one.passage.score) for one in near), min))[start:end]
        rows = [{**one.row, "score": round(score, 4)} for one, score in zip(some, scores, strict=True)]
        return Found(self._query, rows, cursor)

    async def _by_both(self, reader: Reader, at: "re.Match[str] | None") -> Found:
        window = int(at[2]) if at is not None else max(WINDOW, self._limit)
        near = await self._near(reader, window, window)
        if at is not None and at[1] == "behind":
            return await self._behind(reader, near, window, at[3])
        if not near and at is None:
            return await self._words(self._question, reader)
        first = await self._words(self._question._replace(after=None, fetched=window + 1), reader)
        fused = self._fuse(first.rows, near)
        start = int(at[3]) if at is not None else 0
        end = start + self._limit
        cursor = None
        if len(fused) > end:
            cursor = encode_cursor(f"fused:{window}:{end}")
        elif first.next_cursor is not None:
            last = first.rows[-1]
            cursor = encode_cursor(f"behind:{window}:{last['tier']}.{last['id']}")
        return Found(self._query, fused[start:end], cursor, first.unavailable)

    async def _behind(self, reader: Reader, near: Sequence[Near], window: int, after: str) -> Found:
        """Finds by words what stands behind both orders, but for what the other had."""
        found = await self._words(self._question._replace(after=after), reader)
        shown = {one.passage.document for one in near}
        rows = [
            {**row, "score": SCORES[1]} for row in found.rows if (row["type"], row["ref_id"]) not in shown
        ]
        cursor = None
        if found.next_cursor is not None:
            last = found.rows[-1]
            cursor = encode_cursor(f"behind:{window}:{last['tier']}.{last['id']}")
        return found._replace(rows=rows, next_cursor=cursor)

    def _fuse(self, words: Sequence[Row], near: Sequence[Near]) -> list[dict[str, Any]]:
        scores: dict[DocumentRef, float] = {}
        rows: dict[DocumentRef, Row] = {}
        orders: Mapping[str, Sequence[tuple[DocumentRef, Row]]] = {
            "words": [((row["type"], row["ref_id"]), row) for row in words],
            "meaning": [(one.passage.document, one.row) for one in near],
        }
        for name, order in orders.items():
            for rank, (document, row) in enumerate(order, 1):
                scores[document] = scores.get(document, 0.0) + 1 / (_RANK + rank)
                rows.setdefault(document, row)
                self._found_by.setdefault(document, []).append(name)
        ordered = sorted(scores, key=lambda document: (-scores[document], -rows[document]["id"]))
        fused: list[dict[str, Any]] = []
        score = 1.0
        for document in ordered:
            # How well the better of the two found it, and never more than what stands before.
            by_words, near_by = SCORES.get(rows[document].get("tier", 0), 0.0), self._best.get(document)
            score = min(score, max(by_words, near_by.score if near_by is not None else 0.0))
            fused.append({**rows[document], "score": round(score, 4)})
        return fused

    async def _near(self, reader: Reader, wanted: int, window: int) -> list[Near]:
        """Returns the documents that the caller may read and that fit, of each window the nearest first.

        Each has its place by the batch that it first came in, however many are wanted: so no page repeats
        what another shows.
        """
        assert self._find_near is not None
        few = await few_of(reader, self._caller, self._question, self._now_ms)
        among = None if few is None else few.documents
        if among is not None and not among:
            return []
        found: list[Near] = []
        judged: set[DocumentRef] = set()
        async with aclosing(self._find_near(reader, among)) as batches:
            async for batch in batches:
                fitting = [one for one in batch if one.fits]
                new: dict[DocumentRef, NearPassage] = {}
                for one in fitting:
                    self._note(one)
                    if one.document not in judged:
                        new.setdefault(one.document, one)
                for start in range(0, len(new), _AT_ONCE):
                    if len(found) >= wanted:
                        break
                    some = [*new][start : start + _AT_ONCE]
                    rows = await self._readable(reader, some)
                    found += [Near(rows[document], new[document]) for document in some if document in rows]
                    judged.update(some)
                # They come about in order: where hardly any fits, none of those behind does.
                if len(found) >= wanted or len(fitting) * _HARDLY < len(batch):
                    break
        del found[wanted:]
        for start in range(0, len(found), window):
            found[start : start + window] = sorted(found[start : start + window], key=_nearest_first)
        return found

    async def _readable(self, reader: Reader, documents: Sequence[DocumentRef]) -> Mapping[DocumentRef, Row]:
        return await readable_among(
            reader, self._caller, self._question, documents, self._now_ms, self._failed
        )

    def _note(self, passage: NearPassage) -> None:
        known = self._best.get(passage.document)
        if known is None or passage.score > known.score:
            self._best[passage.document] = passage

    async def add_passages(self, found: Found, items: Sequence[dict[str, Any]]) -> None:
        """Adds to each hit how it was found, and the passage that fits best."""
        documents = [(item["type"], item["id"]) for item in items]
        texts: Mapping[int, tuple[str, Mapping[str, Any]]] = {}
        if self._find_near is not None and self._passages is not None and items:
            async with self._host.data.read() as reader:
                await self._find_best(reader, [one for one in documents if one not in self._best])
                ids = [self._best[one].id for one in documents if one in self._best]
                texts = await self._passages.texts(reader, self._caller.org_id, ids)
        for item, document in zip(items, documents, strict=True):
            best = self._best.get(document)
            text, place = texts.get(best.id if best is not None else 0, ("", {}))
            if text and "words" not in self._found_by.get(document, ("words",)):
                item["snippet"] = _cut(text)
            item["passage"] = {
                "text": (text or item["snippet"].translate(_MARKS))[:_MAX_PASSAGE],
                "place": place,
            }
            item["found_by"] = self._found_by.get(document, ["words"])

    async def _find_best(self, reader: Reader, documents: Sequence[DocumentRef]) -> None:
        """Finds the nearest passage of what was found by its words; near enough or not."""
        if not documents:
            return
        assert self._find_near is not None
        async with aclosing(self._find_near(reader, documents)) as batches:
            async for batch in batches:
                for one in batch:
                    self._note(one)
                break


def _nearest_first(near: Near) -> tuple[float, int]:
    return -near.passage.score, near.passage.id


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 240 else flat[:239] + "…"
