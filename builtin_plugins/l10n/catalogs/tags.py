"""Language tags (BCP 47), and how each is shown: by the names of CLDR where it knows the language."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from guildhall_sdk import InvalidRequest
from guildhall_sdk.services.localization import LocaleName
from libs.names import locale_fault, spelt_locale

if TYPE_CHECKING:
    from babel import Locale

#: The language that all texts are written in first.
SOURCE = "en"

_PARTS = re.compile(r"([a-z]{2,3})(?:-([A-Z][a-z]{3}))?(?:-([A-Z]{2}|[0-9]{3}))?")
_FROM_THE_RIGHT = frozenset(
    ("Adlm", "Arab", "Hebr", "Mand", "Mend", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa", "Yezi")
)


def tag_fault(tag: str) -> str | None:
    """Returns what is wrong with the tag of a language that is to be opened or chosen, or None.

    A well-formed one is enough: a team may write a language that CLDR has not heard of.
    """
    if fault := locale_fault(tag):
        return fault
    return f"is written {spelt_locale(tag)}" if tag != spelt_locale(tag) else None


def target_locale(body: Mapping[str, Any]) -> str:
    """Returns the body's `locale` as it is usually written; raises `InvalidRequest` for what is no target."""
    locale = spelt_locale(body["locale"])
    if locale == SOURCE:
        raise InvalidRequest.at("/locale", f"is {SOURCE}, which is the source and not translated")
    if fault := tag_fault(locale):
        raise InvalidRequest.at("/locale", fault)
    return locale


@lru_cache(512)
def locale_name(tag: str) -> LocaleName:
    """Returns the name of a language in itself and its direction; `tag` is one that `tag_fault` accepts."""
    match = _PARTS.fullmatch(tag)
    found = None if match is None else _language(match[1], match[2]) or _language(match[1])
    if match is None or found is None:
        return LocaleName(tag, tag, "ltr")
    language, script, region = match.groups()
    name: str = found.languages.get(language) or _english().languages.get(language, language)
    more = [found.scripts.get(script, script)] if script else []
    more += [found.territories.get(region, region)] if region else []
    name = f"{name} ({', '.join(more)})" if more else name
    # A title's letter, not a capital: Georgian has capitals that stand in whole words only.
    return LocaleName(tag, name[:1].title() + name[1:], _direction(found, script))


def _direction(language: "Locale", script: str | None) -> Literal["ltr", "rtl"]:
    from_the_right = language.text_direction == "rtl" if script is None else script in _FROM_THE_RIGHT
    return "rtl" if from_the_right else "ltr"


@lru_cache(512)
def _language(code: str, script: str | None = None) -> "Locale | None":
    from babel import Locale, UnknownLocaleError

    try:
        return Locale(code, script=script)
    except UnknownLocaleError:
        return None


@lru_cache(1)
def _english() -> "Locale":
    from babel import Locale

    return Locale(SOURCE)
