"""The place where a text was hit, with marks around the hits; the same on either database.

A text is folded once, character by character, and searched as folded: whatever was asked for and whatever
the text holds, the work grows with the text's length and no faster.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from builtin_plugins.search.indexing import IN_WORD, LONGEST_WORD, fold, fold_each, is_unspaced
from builtin_plugins.search.query_parser import ParsedQuery, Term

HIT_BEGINS, HIT_ENDS = "\u0001", "\u0002"
WIDTH = 240
# What is marked of a long question: looking for all of it in every text of a page takes too long.
_MAX_TERMS, _MAX_RUNS = 8, 4
_BEFORE_HIT = 80
_ELLIPSIS = "…"
# Possessive: what stands between two words is passed over once, and never looked at again.
_BETWEEN = f"(?:(?!{IN_WORD}).)*+"


def hits_of(query: ParsedQuery) -> "re.Pattern[str]":
    """Matches each wanted term in a folded text."""
    terms = query.wanted[:_MAX_TERMS]
    anywhere = [_pattern(term) for term in terms if is_unspaced(term.runs[0])]
    at_words = [_pattern(term) for term in terms if not is_unspaced(term.runs[0])]
    if at_words:
        # Before all of them, and not before each: where no word begins, none is tried.
        anywhere.append(f"(?<!{IN_WORD})(?:{'|'.join(at_words)})")
    return re.compile("|".join(anywhere), re.DOTALL)


def snippet(hits: "re.Pattern[str]", title: str, excerpt: str) -> str:
    """Returns the text around its first hit; else a title that has one; else the beginning of the text."""
    first = next(_spans(hits, excerpt), None)
    if first is None and hits.search(fold_each(title)[0]):
        return _marked(hits, title[:WIDTH])
    start = _start(excerpt, first[0]) if first else 0
    end = _end(excerpt, start + WIDTH)
    before, after = _ELLIPSIS if start else "", _ELLIPSIS if end < len(excerpt) else ""
    return before + _marked(hits, excerpt[start:end]) + after


def _spans(hits: "re.Pattern[str]", text: str) -> Iterator[tuple[int, int]]:
    """Yields where the text as written was hit: from, up to; one after the other."""
    if text.isascii():
        yield from (hit.span() for hit in hits.finditer(fold(text)))
        return
    folded, lengths = fold_each(text)
    ends: list[int] = []
    past = 0
    for hit in hits.finditer(folded):
        ends = ends or list(accumulate(lengths))
        begin = max(past, bisect_right(ends, hit.start()))
        # Up to the next character that means anything: the accents of the last one are its own.
        past = bisect_right(ends, hit.end() - 1) + 1
        while past < len(text) and not lengths[past]:
            past += 1
        if begin < past:
            yield begin, past


def _marked(hits: "re.Pattern[str]", text: str) -> str:
    pieces: list[str] = []
    done = 0
    for begin, end in _spans(hits, text):
        pieces += [text[done:begin], HIT_BEGINS, text[begin:end], HIT_ENDS]
        done = end
    return "".join(pieces) + text[done:]


def _start(text: str, hit: int) -> int:
    """Returns a word's beginning, a little before the hit."""
    if hit <= _BEFORE_HIT:
        return 0
    blank = text.find(" ", hit - _BEFORE_HIT, hit)
    return blank + 1 if blank >= 0 else hit


def _end(text: str, wanted: int) -> int:
    if wanted >= len(text):
        return len(text)
    blank = text.rfind(" ", wanted - _BEFORE_HIT, wanted)
    return blank if blank >= 0 else wanted


def _pattern(term: Term) -> str:
    runs = term.runs[:_MAX_RUNS]
    body = _BETWEEN.join(re.escape(run[:LONGEST_WORD]) for run in runs)
    if is_unspaced(runs[-1]):
        return body
    goes_on = (term.beginning and runs == term.runs) or len(runs[-1]) > LONGEST_WORD
    return body + (f"{IN_WORD}*+" if goes_on else f"(?!{IN_WORD})")
