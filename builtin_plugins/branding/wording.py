"""The words of a branding: one line each, without characters that are not seen."""

import unicodedata

TITLE_MAX = 80
TAGLINE_MAX = 200
_LINE_BREAKING = frozenset({"Cc", "Cs", "Zl", "Zp"})
_DIRECTION_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def title_fault(title: str) -> str | None:
    """Returns what is wrong with a title, or None."""
    return tagline_fault(title) if title.strip() else "must not be blank"


def tagline_fault(tagline: str) -> str | None:
    for char in tagline:
        if char in _DIRECTION_OVERRIDES or unicodedata.category(char) in _LINE_BREAKING:
            return "must not hold line breaks, control characters or direction overrides"
    return None
