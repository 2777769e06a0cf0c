"""How arguments become a request: what is left out, the words of a query, the segments of a path."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, Literal
from urllib.parse import quote


class _Omission(Enum):
    OMITTED = "omitted"

    def __repr__(self) -> str:
        return "OMITTED"


#: Stands for a field that is not sent, where None would say that it shall be empty.
OMITTED: Final = _Omission.OMITTED
Omitted = Literal[_Omission.OMITTED]


def segment(value: object) -> str:
    """Returns one segment of a path. Raises `ValueError` for one that names nothing."""
    return _quoted(value, "")


def segments(value: object) -> str:
    """Returns the rest of a path, slashes and all."""
    return _quoted(value, "/")


def _quoted(value: object, safe: str) -> str:
    text = str(value)
    if not text:
        raise ValueError("an id or a key is not empty")
    # What is read as the way up in a path is written so that it is not.
    return "/".join(
        {".": "%2E", "..": "%2E%2E"}.get(part, part) for part in quote(text, safe=safe).split("/")
    )


def given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields without those that are left out."""
    return {name: value for name, value in fields.items() if value is not OMITTED}


def words(query: Mapping[str, Any]) -> dict[str, str]:
    """Returns a query without what is left out; what is true or false is said as 1 or 0."""
    return {
        name: str(int(value)) if isinstance(value, bool) else str(value)
        for name, value in query.items()
        if value is not None
    }
