"""What the API says about translations."""

from typing import TypedDict


class TranslationBy(TypedDict):
    id: str
    name: str


class TranslationGlossaryTerm(TypedDict):
    term: str
    translation: str


class Translation(TypedDict):
    by: TranslationBy
    created_at: str
    glossary: list[TranslationGlossaryTerm] | None
    id: str
    missed: list[TranslationGlossaryTerm] | None
    model: str
    simulated: bool
    source: str | None
    source_text: str | None
    target: str
    text: str | None
    #: No model is there: the glossary was applied and nothing else
    untranslated: bool


class TranslationPage(TypedDict):
    items: list[Translation]
    next_cursor: str | None


class CreatedTranslationUsage(TypedDict):
    completion_tokens: int
    prompt_tokens: int
    total_tokens: int


class CreatedTranslation(TypedDict):
    by: TranslationBy
    created_at: str
    #: Terms of the glossary that stand in the source
    glossary: list[TranslationGlossaryTerm]
    id: str
    #: Those of them that the translation has not
    missed: list[TranslationGlossaryTerm]
    model: str
    simulated: bool
    source: str | None
    target: str
    text: str
    #: No model is there: the glossary was applied and nothing else
    untranslated: bool
    usage: CreatedTranslationUsage


class TranslationCatalogReplyMissed(TypedDict):
    key: str
    term: str
    translation: str


class TranslationCatalogReplyProblem(TypedDict):
    key: str
    message: str


class TranslationCatalogReply(TypedDict):
    #: Terms of the glossary that stand in the source
    glossary: list[TranslationGlossaryTerm]
    messages: dict[str, str]
    missed: list[TranslationCatalogReplyMissed]
    model: str
    problems: list[TranslationCatalogReplyProblem]
    simulated: bool
    source: str | None
    target: str
    #: No model is there: the glossary was applied and nothing else
    untranslated: bool
    usage: CreatedTranslationUsage


__all__ = [
    "CreatedTranslation",
    "CreatedTranslationUsage",
    "Translation",
    "TranslationBy",
    "TranslationCatalogReply",
    "TranslationCatalogReplyMissed",
    "TranslationCatalogReplyProblem",
    "TranslationGlossaryTerm",
    "TranslationPage",
]
