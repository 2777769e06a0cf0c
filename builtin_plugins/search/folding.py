"""One spelling for what people type in several: case, accents, width and ligatures folded away.

Done here and not by the databases: both then find the same, whatever Unicode they were built with.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

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
_SPELLED_OTHERWISE = (
    *range(0x41, 0x5B),
    *range(0xAA, 0x250),
    *range(0x370, 0x588),
    *range(0x1E00, 0x2000),
    *range(0xFF10, 0xFF5B),
)


def fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    bare = _LEFT_OUT.sub("", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFKC", bare).translate(_LETTERS)


@cache
def spellings() -> Mapping[str, str]:
    """The characters that fold to one letter, or to two, by what they fold to."""
    found: dict[str, str] = {}
    for point in _SPELLED_OTHERWISE:
        character = chr(point)
        folded = fold(character)
        if folded != character and folded.isalnum() and len(folded) <= 2:
            found[folded] = found.get(folded, "") + character
    return found
