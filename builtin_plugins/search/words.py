"""What a text is found by: its words, and pairs of characters where a script has no spaces."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from builtin_plugins.search.folding import fold

LONGEST_WORD = 64
# One character may fold to eighteen: what is taken apart is counted as it comes out.
MOST_FOLDED = 2_000_000
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
_RUN = re.compile(f"[{_UNSPACED}]++|(?:[^\\W_{_UNSPACED}]|[{_MARKS}])++")
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
    room = MOST_FOLDED
    for piece in _pieces(text):
        runs = runs_of(piece)
        room -= sum(map(len, runs))
        if room < 0:
            return
        for run in runs:
            if is_unspaced(run):
                yield from _pairs(run)
                yield run[-1]
            else:
                yield run[:LONGEST_WORD]


def _pieces(text: str) -> Iterator[str]:
    """Cut between words; a word that has no end in sight is cut in two."""
    start = 0
    while len(text) - start > _PIECE:
        end = start + _PIECE
        near = range(end, end - _NEAR_END, -1)
        end = next((at for at in near if unicodedata.category(text[at - 1])[0] in "PZC"), end)
        yield text[start:end]
        start = end
    yield text[start:]


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
