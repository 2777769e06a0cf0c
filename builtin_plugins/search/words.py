"""What a text is found by: its words, and pairs of characters where a script has no spaces.

Each word carries a mark of its company. A company's words are then a place of their own in the index: a
search walks past nobody else's, and how common a word is elsewhere can be told from nothing. In SQLite's
index the words of titles, and those that come often, carry one more: a column alone would not keep a search
for them from walking past all the texts.
"""

import base64
import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

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
_RUN = re.compile(f"[{_UNSPACED}]++|(?:[^\\W_{_UNSPACED}]|[{_MARKS}])++")
_PLAIN_RUN = re.compile("[a-z0-9]+")
_FIRST_UNSPACED = "\u0e01"
_unspaced = re.compile(f"[{_UNSPACED}]")


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
    return (_PLAIN_RUN if folded.isascii() else _RUN).findall(folded)


def is_unspaced(run: str) -> bool:
    return _unspaced.match(run) is not None


def indexed_words(text: str) -> Iterator[str]:
    """Yields the words in order; a run without spaces gives every pair of neighbours, and its last alone."""
    room = MAX_FOLDED
    for piece in [text] if len(text) <= _PIECE else _pieces(text):
        runs = runs_of(piece)
        room -= sum(map(len, runs))
        if room < 0:
            return
        for run in runs:
            if run[0] >= _FIRST_UNSPACED and is_unspaced(run):
                yield from _pairs(run)
                yield run[-1]
            else:
                yield run[:LONGEST_WORD]


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
