"""Languages by their tags (BCP 47): one spelling for each, and the more general ones behind it."""

from collections.abc import Sequence

from guildhall_sdk import InvalidRequest
from guildhall_sdk.names import locale_fault


def language_tag(given: str, pointer: str) -> str:
    """The tag as it is usually written: `nl-be` is `nl-BE`. Raises `InvalidRequest` for what is none."""
    fault = locale_fault(given)
    if fault is not None:
        raise InvalidRequest.at(pointer, fault)
    language, *rest = given.split("-")
    return "-".join([language.lower(), *map(_subtag, rest)])


def _subtag(given: str) -> str:
    if len(given) == 4 and given.isalpha():
        return given.title()
    return given.upper() if len(given) == 2 and given.isalpha() else given.lower()


def more_general(tag: str) -> Sequence[str]:
    """The tag, then each that it is a kind of: `zh-Hant-TW`, `zh-Hant`, `zh`."""
    parts = tag.split("-")
    return ["-".join(parts[:count]) for count in range(len(parts), 0, -1)]
