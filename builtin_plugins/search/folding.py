"""One spelling for what people type in several: case, accents, width and ligatures folded away.

Done here and not by the databases: both then find the same, whatever Unicode they were built with.
"""

import re
import unicodedata

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
_MOST_MARKS = 30
_MARK = r"[^\w\x00-\u02ff]"
_TOO_MANY_MARKS = re.compile(f"(?<!{_MARK})({_MARK}{{{_MOST_MARKS}}}){_MARK}++")
_APART = "\n"
# Letters to Python, and marks once they are folded.
_HALF_WIDTH_VOICING = (("\uff9e", "\u3099"), ("\uff9f", "\u309a"))


def fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    for half_width, mark in _HALF_WIDTH_VOICING:
        text = text.replace(half_width, mark)
    text = _TOO_MANY_MARKS.sub(r"\1", text)
    bare = _LEFT_OUT.sub("", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFKC", bare).translate(_LETTERS)


def fold_each(text: str) -> tuple[str, list[int]]:
    """The text with each character folded by itself, and into how many characters each went.

    All different characters are folded in one go, with something between them that folding leaves alone.
    """
    if text.isascii():
        return text.lower(), [1] * len(text)
    characters = [*(set(text) - {_APART})]
    folded = dict(zip(characters, fold(_APART.join(characters)).split(_APART), strict=True))
    folded[_APART] = _APART
    pieces = [folded[character] for character in text]
    return "".join(pieces), [len(piece) for piece in pieces]
