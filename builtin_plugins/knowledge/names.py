"""Names: as they are shown, as they are compared, and by what likely twins are looked up."""

import re
import unicodedata

TYPES = ("person", "organization", "place", "product", "event", "date", "other")
MAX_NAME = 200
_MAX_WORDS = 8
_MAX_KEY = 40
_TRAILING = " .,;:!?…"
_WORDS = re.compile(r"[^\W_]+")
_SOFT = re.compile(r"(?<=.)[aeiouyhw]+")
_TWICE = re.compile(r"(.)\1+")


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
