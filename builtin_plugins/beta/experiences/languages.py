"""The languages of an experience: which one a visitor gets, and its texts."""

import re
from collections.abc import Mapping, Sequence

from builtin_plugins.beta.experiences.document import Document
from builtin_plugins.beta.experiences.seeds import MINIMAL
from guildhall_sdk import Call
from guildhall_sdk.services.localization import LocaleName, Localization
from libs.fair_slots import TEXTS
from libs.names import locale_fault, spelt_locale

#: What every page says; an experience that leaves one out speaks with our words.
NEEDED = ("title", "submit", "thanks")
_WISH = re.compile(r"\s*([A-Za-z0-9*-]{1,35})\s*(?:;\s*[qQ]=([01](?:\.[0-9]{0,3})?)\s*)?")
_MAX_WISHES = 20
_MAX_NAMES = 1_000
_HOLDER = "beta"
_names: dict[str, LocaleName] = {}


async def language_of(call: Call, document: Document) -> str:
    """Returns the language to answer in: of `?locale=`, else the browser's where people may choose."""
    localization = call.service(Localization)
    wanted = call.query.get("locale")
    if wanted is None and (await localization.policy()).switching:
        wanted = _best(call.headers.get("accept-language", ""), document)
    return first_spoken(document, await localization.chain(wanted))


def first_spoken(document: Document, chain: Sequence[str]) -> str:
    """Returns the first language of the chain that the experience has, else its own first."""
    known = document.copy or MINIMAL.copy
    return next((tag for tag in chain if tag in known), next(iter(known)))


def texts_in(document: Document, locale: str, chain: Sequence[str]) -> dict[str, str]:
    """Returns all texts of the experience, each in the first language of the chain that has it."""
    texts: dict[str, str] = {"subtitle": ""}
    for key in NEEDED:
        texts[key] = next(MINIMAL.copy[tag][key] for tag in (*chain, "en") if tag in MINIMAL.copy)
    for tag in reversed([*dict.fromkeys((locale, *chain))]):
        texts |= document.copy.get(tag, {})
    return texts


def _best(accept_language: str, document: Document) -> str | None:
    """Returns the visitor's dearest language that the experience has, by `Accept-Language`."""
    wishes: list[tuple[float, str]] = []
    for part in accept_language.split(",")[:_MAX_WISHES]:
        match = _WISH.fullmatch(part)
        if match and locale_fault(match[1]) is None:
            wishes.append((float(match[2] or 1), spelt_locale(match[1])))
    for weight, tag in sorted(wishes, key=lambda wish: -wish[0]):
        if weight and (tag in document.copy or tag.partition("-")[0] in document.copy):
            return tag
    return None


async def spoken(document: Document) -> Sequence[LocaleName]:
    """Returns the languages of the experience, in its own order."""
    tags = tuple(document.copy or MINIMAL.copy)
    if any(tag not in _names for tag in tags):
        # What CLDR knows of a language is read from a file, the first time.
        found = await TEXTS.run(_HOLDER, lambda: {tag: _named(tag) for tag in tags})
        if len(_names) > _MAX_NAMES:
            _names.clear()
        _names.update(found)
    return [_names[tag] for tag in tags]


def _named(tag: str) -> LocaleName:
    """Returns a language with its name in itself and the direction of its script, by CLDR."""
    from babel import Locale, UnknownLocaleError

    try:
        known = Locale.parse(tag, sep="-")
    except (UnknownLocaleError, ValueError):
        return LocaleName(tag, tag, "ltr")
    name = known.get_display_name(known) or tag
    return LocaleName(tag, name[:1].upper() + name[1:], "rtl" if known.text_direction == "rtl" else "ltr")


def field_texts(texts: Mapping[str, str], name: str) -> dict[str, str]:
    """Returns what the copy says of a field: `label_<name>`, `help_<name>` and `placeholder_<name>`."""
    found = {part: texts.get(f"{part}_{name}") for part in ("label", "help", "placeholder")}
    return {part: text for part, text in found.items() if text}
