"""Localization: the languages of this instance, and the texts of its screens in each of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypedDict, Unpack

from guildhall_sdk.principal import Principal
from guildhall_sdk.services.models import TokenUsage


@dataclass(frozen=True, slots=True)
class LocaleName:
    """A language that can be chosen: its tag, its name in itself, and the direction of its script."""

    code: str
    name: str
    dir: Literal["ltr", "rtl"]


@dataclass(frozen=True, slots=True)
class LocalePolicy:
    """The default language, those that can be chosen, and whether people may choose."""

    default_locale: str
    locales: Sequence[LocaleName]
    switching: bool


class Localization(Protocol):
    """The policy and the catalogs. Not for use inside a scope."""

    async def policy(self) -> LocalePolicy:
        """Returns the policy as it is now in every process."""

    async def chain(self, locale: str | None) -> Sequence[str]:
        """Returns where a text is looked for: `nl-BE`, `nl`, the default, `en`.

        Without a wish, or with one that is no language tag, it begins with the default.
        """

    async def messages(self, locale: str | None, namespace: str | None = None) -> Mapping[str, str]:
        """Returns ICU messages by key, each from the first language of the chain that has it."""


@dataclass(frozen=True, slots=True)
class GlossaryUse:
    """A term of the glossary that stands in a text, and what has to stand for it in the translation."""

    term: str
    translation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Translated:
    """How a translation came about.

    `glossary` lists the terms that stand in the source. `untranslated` says that no model was there: only the
    glossary was applied.
    """

    target: str
    glossary: Sequence[GlossaryUse]
    simulated: bool
    untranslated: bool
    model: str
    usage: TokenUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation(Translated):
    """A translated text, as the team's history has it.

    `missed` lists the terms whose translation the model left out even when asked again. `source` is None
    where nobody knows the language.
    """

    id: str
    text: str
    source: str | None
    missed: Sequence[GlossaryUse]
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatedCatalog(Translated):
    """The messages by key; one whose translation was not taken keeps its source text.

    `problems` says by key why it was not. `missed` names by key the terms whose translation the model left
    out.
    """

    messages: Mapping[str, str]
    problems: Mapping[str, str]
    missed: Mapping[str, Sequence[GlossaryUse]]


class TranslateOptions(TypedDict, total=False):
    """The keyword arguments of a translation."""

    #: The language tag of the source, where somebody knows it.
    source: str | None
    #: The id of the job that waits for it, where there is one.
    within: str | None


class Translator(Protocol):
    """Translates through the role `utility`, metered as any turn. Not for use inside a scope.

    `target` is a language tag. Both methods raise `InvalidRequest` for what they do not take, and what
    `Models.ask` raises.
    """

    async def translate(
        self,
        principal: Principal,
        text: str,
        target: str,
        *,
        recorded: bool = True,
        **more: Unpack[TranslateOptions],
    ) -> Translation:
        """Translates a text and enforces the glossary.

        It stands in the team's history, unless it is not `recorded`: where it is a piece of something that
        the caller keeps.
        """

    def message_problems(self, source: str, translation: str, target: str) -> Sequence[str]:
        """Says what a translation of an ICU message lacks or has too much; empty where it can be taken."""

    async def translate_catalog(
        self, principal: Principal, messages: Mapping[str, str], target: str, **more: Unpack[TranslateOptions]
    ) -> TranslatedCatalog:
        """Translates the ICU messages of a catalog; placeholders and plurals come out as they went in.

        It takes a turn for every few dozen messages. When a later one fails, the messages that are left have
        a problem each, and the others are not lost.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageCatalogs:
    """A folder of catalogs for `declare_catalogs`: `en.json` is the source, `nl.json` a translation.

    Each is one object of ICU messages by key. Every key begins with the namespace and a dot; the namespace is
    the plugin's id. A translation has no key that the source has not; what it lacks can be translated later.
    """

    namespace: str
    folder: Path
