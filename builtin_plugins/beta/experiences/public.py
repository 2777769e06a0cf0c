"""The public slice of an experience: what anybody may read of it, in one language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builtin_plugins.beta.assets.service import places_of
from builtin_plugins.beta.experiences.current import Funnel, current
from builtin_plugins.beta.experiences.document import Field
from builtin_plugins.beta.experiences.languages import field_texts, language_of, spoken, texts_in
from guildhall_sdk import Call
from guildhall_sdk.services.branding import Brandings
from guildhall_sdk.services.localization import LocaleName, Localization
from libs.names import hostname_of
from libs.themes import palette

NAMESPACE = "beta"
_MAX_PICKED = 200
_picked: dict[str, tuple[Mapping[str, str], Mapping[str, str]]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
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
            "locales": [one.public() for one in self.languages],
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
        # Each was judged as a whole; one over the other could be hard to read.
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
