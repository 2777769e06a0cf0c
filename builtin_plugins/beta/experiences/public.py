"""The public slice of an experience: what anybody may read of it, in the language that a visitor gets."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from builtin_plugins.beta.assets.service import places_of
from builtin_plugins.beta.experiences.current import Funnel, current
from builtin_plugins.beta.experiences.document import Document, Field
from builtin_plugins.beta.experiences.seeds import MINIMAL
from guildhall_sdk import Call
from guildhall_sdk.services.localization import LocaleName, Localization
from guildhall_sdk.services.pages import Brandings
from libs.fair_slots import TEXTS
from libs.names import hostname_of, locale_fault, spelt_locale
from libs.themes import palette

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


NAMESPACE = "beta"
_MAX_PICKED = 200
_picked: dict[str, tuple[Mapping[str, str], Mapping[str, str]]] = {}


class Slice(NamedTuple):
    """A funnel for one visitor. There is nothing of its judge prompt in here."""

    funnel: Funnel
    language: LocaleName
    #: Where a text was looked for.
    chain: Sequence[str]
    #: Of the experience, by key.
    copy: Mapping[str, str]
    #: Of the page itself, ICU messages by key: progress, refusals.
    texts: Mapping[str, str]
    #: Addresses by kind.
    assets: Mapping[str, str]
    #: Every token with its value.
    theme: Mapping[str, str | int]
    #: What visitors can choose from.
    languages: Sequence[LocaleName]
    brand: str

    def fields(self) -> list[dict[str, Any]]:
        """Returns the form's fields with their labels, help and options in the visitor's language."""
        return [self._field(field) for field in self.funnel.document.fields]

    def _field(self, field: Field) -> dict[str, Any]:
        content = {**field.to_json(), **field_texts(self.copy, field.name)}
        if field.options:
            content["option_labels"] = [
                self.copy.get(f"option_{field.name}_{place}") or option
                for place, option in enumerate(field.options, 1)
            ]
        return content

    def to_json(self) -> dict[str, Any]:
        return {
            "fields": self.fields(),
            "copy": dict(self.copy),
            "texts": dict(self.texts),
            "theme": dict(self.theme),
            "assets": dict(self.assets),
            "template": self.funnel.document.template is not None,
            "brand": self.brand,
            "locale": self.language.code,
            "dir": self.language.dir,
            "locales": [asdict(one) for one in self.languages],
            "published": self.funnel.published,
            "version": self.funnel.version,
        }


async def slice_for(call: Call) -> Slice:
    """Returns what the request's hostname and language lead to. Not inside a scope."""
    return await slice_of(call, await current(call))


async def slice_of(call: Call, funnel: Funnel) -> Slice:
    """Returns a funnel in the language of the request. Not inside a scope."""
    document, localization = funnel.document, call.service(Localization)
    locale = await language_of(call, document)
    chain = await localization.chain(locale)
    copy, languages = texts_in(document, locale, chain), await spoken(document)
    async with call.read() as reader:
        assets = await places_of(reader, funnel.team_id, document.assets)
        look = None
        if not document.theme or not copy.get("brand"):
            look = await call.service(Brandings).at(reader, hostname_of(call.headers.get("host", "")))
    return Slice(
        funnel=funnel,
        language=next(one for one in languages if one.code == locale),
        chain=chain,
        copy=copy,
        texts=_own_texts(locale, await localization.messages(locale)),
        assets=assets,
        # Each was checked as a whole; one over the other could be hard to read.
        theme=palette(document.theme) if document.theme or look is None else look.palette,
        languages=languages,
        brand=copy.get("brand") or (look.title if look else ""),
    )


def _own_texts(locale: str, messages: Mapping[str, str]) -> Mapping[str, str]:
    """Returns the messages of the page without their namespace; picked once from each catalog."""
    known = _picked.get(locale)
    if known is not None and known[0] is messages:
        return known[1]
    prefix = f"{NAMESPACE}."
    own = {key.removeprefix(prefix): text for key, text in messages.items() if key.startswith(prefix)}
    if len(_picked) > _MAX_PICKED:
        _picked.clear()
    _picked[locale] = (messages, own)
    return own
