"""Translation: texts and catalogs into another language, by the team's glossary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from guildhall_sdk.principal import Principal


@dataclass(frozen=True, slots=True)
class GlossaryUse:
    """A term of the glossary that stood in a text, and what stands for it in the translation."""

    term: str
    translation: str

    def public(self) -> dict[str, Any]:
        """The use as the API shows it."""
        return {"term": self.term, "translation": self.translation}


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """A translated text. `untranslated` says that no model was there: only the glossary was applied."""

    id: str
    text: str
    source: str | None
    target: str
    glossary: Sequence[GlossaryUse]
    simulated: bool
    untranslated: bool


@dataclass(frozen=True, slots=True)
class CatalogProblem:
    """A message of a catalog whose translation was not taken, and why."""

    key: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatedCatalog:
    """The messages by key; one with a problem keeps its source text."""

    target: str
    messages: Mapping[str, str]
    problems: Sequence[CatalogProblem]
    simulated: bool
    untranslated: bool


class Translator(Protocol):
    """Translates through the role `utility`, metered as any turn. Not for use inside a scope."""

    async def translate(
        self,
        principal: Principal,
        text: str,
        target: str,
        *,
        source: str | None = None,
        within: str | None = None,
    ) -> Translation:
        """Translates a text, enforces the glossary and records the translation in the team's history."""
        ...

    async def translate_catalog(
        self,
        principal: Principal,
        messages: Mapping[str, str],
        target: str,
        *,
        source: str | None = None,
        within: str | None = None,
    ) -> TranslatedCatalog:
        """Translates the messages of a catalog; placeholders and plurals come out as they went in."""
        ...
