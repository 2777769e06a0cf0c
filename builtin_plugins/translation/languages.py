"""Languages by their tags (BCP 47): one spelling for each, and the more general ones behind it."""

from collections.abc import Sequence

from guildhall_sdk import InvalidRequest
from libs.names import locale_fault, spelt_locale


def language_tag(given: str, pointer: str) -> str:
    """The tag as it is usually written: `nl-be` is `nl-BE`. Raises `InvalidRequest` for what is none."""
    fault = locale_fault(given)
    if fault is not None:
        raise InvalidRequest.at(pointer, fault)
    return spelt_locale(given)


def more_general(tag: str) -> Sequence[str]:
    """The tag, then each that it is a kind of: `zh-Hant-TW`, `zh-Hant`, `zh`."""
    parts = tag.split("-")
    return ["-".join(parts[:count]) for count in range(len(parts), 0, -1)]
