"""Statements with `:name` binds as databases take them that number theirs."""

import re
from functools import lru_cache

_BIND = re.compile(r"'(?:[^']|'')*'|--[^\n]*|(?<![:\w]):([a-zA-Z_]\w*)")
# More than a server has statements.
_REMEMBERED = 8192


@lru_cache(maxsize=_REMEMBERED)
def names_in(*texts: str) -> tuple[str, ...]:
    """Returns the names of the binds of a statement, of all its spellings, each once."""
    return tuple(dict.fromkeys(match[1] for text in texts for match in _BIND.finditer(text) if match[1]))


@lru_cache(maxsize=_REMEMBERED)
def numbered(text: str) -> tuple[str, tuple[str, ...]]:
    """Returns the text with `$1 …`, and the names in that order; one that comes twice keeps its number."""
    names: list[str] = []

    def number(match: re.Match[str]) -> str:
        name = match[1]
        if name is None:
            return match[0]
        if name not in names:
            names.append(name)
        return f"${names.index(name) + 1}"

    return _BIND.sub(number, text), tuple(names)
