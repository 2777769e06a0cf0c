"""What a text is found by: its words, and pairs of characters where a script has no spaces."""

import re
from collections.abc import Iterator, Sequence

from builtin_plugins.search.folding import fold

LONGEST_WORD = 64

# Thai, Lao, Burmese, Khmer, kana, Han and Hangul: whoever looks for a part of a run must find it.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3"
    "\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
# Marks inside the words of scripts that have spaces; Python does not count them as letters.
_MARKS = "\u0900-\u0963\u0970-\u0dff\u0f71-\u0f84"
_RUN = re.compile(f"[{_UNSPACED}]+|(?:[^\\W_{_UNSPACED}]|[{_MARKS}])+")
_PLAIN_RUN = re.compile("[a-z0-9]+")
_FIRST_UNSPACED = "\u0e01"
_unspaced = re.compile(f"[{_UNSPACED}]")


def runs_of(text: str) -> list[str]:
    """The stretches of letters and digits, folded; one of a script without spaces is a run of its own."""
    folded = fold(text)
    return (_PLAIN_RUN if folded.isascii() else _RUN).findall(folded)


def is_unspaced(run: str) -> bool:
    return run[0] >= _FIRST_UNSPACED and _unspaced.match(run) is not None


def indexed_words(text: str) -> Iterator[str]:
    """In order. A run without spaces gives every pair of neighbours, and its last character alone."""
    for run in runs_of(text):
        if is_unspaced(run):
            yield from _pairs(run)
            yield run[-1]
        else:
            yield run[:LONGEST_WORD]


def asked_words(runs: Sequence[str]) -> tuple[list[str], bool]:
    """The words that stand side by side where these runs do; and whether the last is only a beginning."""
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
