"""Names: as they are shown, compared and looked up, and how close two of them are."""

import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

TYPES = ("person", "organization", "place", "product", "event", "date", "other")
MAX_NAME = 200
_MAX_WORDS = 8
_MAX_KEY = 40
_TRAILING = " .,;:!?…"
_WORDS = re.compile(r"[^\W_]+")
_SOFT = re.compile(r"(?<=.)[aeiouyhw]+")
_TWICE = re.compile(r"(.)\1+")

CLOSE = 0.85
# Letters of a name that are compared: some signs are several letters once they are folded.
_MAX_LETTERS = 400


def display_name(name: str) -> str:
    """Returns a name on one line, without control characters; empty for one that is no text."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return ""
    return " ".join("".join(" " if unicodedata.category(sign) == "Cc" else sign for sign in name).split())


def fold(name: str) -> str:
    """Returns what two spellings of one name share."""
    folded = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
    return folded.rstrip(_TRAILING) or folded


def words(name: str) -> list[str]:
    """Returns the words of a name without accents, in small letters."""
    plain = unicodedata.normalize("NFKD", fold(name))
    bare = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return _WORDS.findall(bare)[:_MAX_WORDS]


def initials(name: str) -> str:
    """Returns the first letters of a name of several words; of one short word, that word."""
    found = words(name)
    if len(found) == 1 and len(found[0]) <= _MAX_WORDS:
        return found[0]
    return "".join(word[0] for word in found)


def keys(name: str) -> set[str]:
    """Returns what a likely twin of the name has one of: a word as it sounds, or the initials."""
    found = {f"w:{sound(word)}"[:_MAX_KEY] for word in words(name)}
    short = initials(name)
    return found | {f"i:{short}"} if len(short) > 1 else found


def sound(word: str) -> str:
    """Returns a word without what is often misspelt: vowels behind the first letter, letters twice."""
    return _TWICE.sub(r"\1", _SOFT.sub("", word)) if word.isascii() else word


class ComparedName(NamedTuple):
    """A name as it is compared with many others; `places` has a bit for each place of a letter."""

    folded: str
    words: tuple[str, ...]
    different: frozenset[str]
    text: str
    initials: str
    places: Mapping[str, int]

    @classmethod
    def of(cls, name: str) -> "ComparedName":
        found = tuple(words(name))
        text = " ".join(found)[:_MAX_LETTERS]
        places: dict[str, int] = {}
        for at, letter in enumerate(text):
            places[letter] = places.get(letter, 0) | 1 << at
        return cls(fold(name), found, frozenset(found), text, initials(name), places)

    def is_within(self, other: "ComparedName") -> bool:
        """Tells whether all of its words are words of the other, which has more."""
        return self.different < other.different

    def has_initials_of(self, other: "ComparedName") -> bool:
        """Tells whether one may stand for the other, as IBM for International Business Machines."""
        if len(self.words) == len(other.words) or len(self.initials) < 2:
            return False
        return self.initials == other.initials

    def may_be_close(self, other: "ComparedName") -> bool:
        """Tells by their lengths alone whether `is_close` can be true."""
        together = len(self.text) + len(other.text)
        return 2 * min(len(self.text), len(other.text)) >= CLOSE * together

    def is_close(self, other: "ComparedName") -> bool:
        """Tells whether so much of both stands in the same order in each."""
        return 2 * self._shared(other) >= CLOSE * (len(self.text) + len(other.text))

    def _shared(self, other: "ComparedName") -> int:
        """Returns the length of the longest common subsequence, a machine word of places at a time."""
        every = (1 << len(self.text)) - 1
        unmatched = every
        for letter in other.text:
            matched = unmatched & self.places.get(letter, 0)
            unmatched = ((unmatched + matched) | (unmatched - matched)) & every
        return len(self.text) - unmatched.bit_count()
