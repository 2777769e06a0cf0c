"""The place where a text was hit, with marks around the hits; the same on either database."""

import re

from builtin_plugins.search.asked import Asked, Term
from builtin_plugins.search.folding import spellings
from builtin_plugins.search.words import LONGEST_WORD, is_unspaced

HIT_BEGINS, HIT_ENDS = "\u0001", "\u0002"
WIDTH = 240
# What is marked of a long question: looking for all of it in every text of a page takes too long.
_MOST_TERMS, _MOST_RUNS = 8, 4
_BEFORE_HIT = 80
_ELLIPSIS = "…"
_ACCENTS = "[\u0300-\u036f\u00ad\u200c\u200d\u2060]*"
_LETTER = r"[^\W_]"


def hits_of(asked: Asked) -> "re.Pattern[str]":
    """Matches each wanted term as people may have spelled it; linear in the text."""
    return re.compile("|".join(_pattern(term) for term in asked.wanted[:_MOST_TERMS]))


def snippet(hits: "re.Pattern[str]", title: str, excerpt: str) -> str:
    """Of the text around its first hit; else of a title that has one; else the beginning of the text."""
    first = hits.search(excerpt)
    if first is None and hits.search(title):
        return _marked(hits, title[:WIDTH])
    start = _start(excerpt, first.start()) if first else 0
    end = _end(excerpt, start + WIDTH)
    before, after = _ELLIPSIS if start else "", _ELLIPSIS if end < len(excerpt) else ""
    return before + _marked(hits, excerpt[start:end]) + after


def _marked(hits: "re.Pattern[str]", text: str) -> str:
    return hits.sub(lambda hit: f"{HIT_BEGINS}{hit[0]}{HIT_ENDS}", text)


def _start(text: str, hit: int) -> int:
    """At a word's beginning, a little before the hit."""
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
    between = r"[\W_]*"
    runs = term.runs[:_MOST_RUNS]
    body = between.join(_spelled(run[:LONGEST_WORD]) for run in runs)
    first, last = runs[0], runs[-1]
    left = "" if is_unspaced(first) else f"(?<!{_LETTER})"
    if is_unspaced(last):
        return left + body
    return (
        left
        + body
        + (
            f"{_LETTER}*"
            if (term.beginning and runs == term.runs) or len(last) > LONGEST_WORD
            else f"(?!{_LETTER})"
        )
    )


def _spelled(run: str) -> str:
    known = spellings()
    parts: list[str] = []
    position = 0
    while position < len(run):
        pair = run[position : position + 2]
        if len(pair) == 2 and pair in known:
            parts.append(f"(?:{_one(pair[0])}{_one(pair[1])}|[{re.escape(known[pair])}])")
            position += 2
        else:
            parts.append(_one(run[position]))
            position += 1
    return "".join(parts)


def _one(letter: str) -> str:
    return f"[{re.escape(letter + spellings().get(letter, ''))}]{_ACCENTS}"
