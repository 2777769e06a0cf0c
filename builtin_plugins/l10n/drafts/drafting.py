"""One draft: a missing message, translated by the model of the role `utility` within its own frame."""

from dataclasses import dataclass

from builtin_plugins.l10n.catalogs.tags import SOURCE
from builtin_plugins.l10n.checks import Judged, judge_text
from builtin_plugins.l10n.drafts.segments import NoDraft, Segments, take_apart
from guildhall_sdk import InvalidRequest, Principal
from guildhall_sdk.services.localization import TranslatedCatalog, Translator
from libs.fair_slots import TEXTS

# What a person may have good reasons for, and a model seldom has.
_REFUSED = ("markup", "script", "length")
_MAX_PROBLEM = 1_000


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that passed the checks, and what is to be said of it to whoever reviews it."""

    text: str
    problem: str | None


async def make_draft(
    translator: Translator, caller: Principal, key: str, source: str, locale: str, within: str
) -> Draft:
    """Translates a message by the glossary of the caller's team, metered as any turn. Not inside a scope.

    Raises `NoDraft` where nothing comes of it, and what `Translator` raises.
    """
    segments = await TEXTS.run(caller.org_id, take_apart, key, source, locale)
    made = await translator.translate_catalog(caller, segments.texts, locale, source=SOURCE, within=within)
    if made.problems:
        raise NoDraft(f"{made.problems[0].key}: {made.problems[0].message}"[:_MAX_PROBLEM])
    return await TEXTS.run(caller.org_id, _judged, segments, made, source, locale)


def _judged(segments: Segments, made: TranslatedCatalog, source: str, locale: str) -> Draft:
    text = segments.put_together(made.messages)
    try:
        judged = judge_text(source, text, locale)
    except InvalidRequest as refusal:
        raise NoDraft(f"The draft does not fit its source: {refusal.errors[0]['message']}") from None
    if not made.untranslated:
        for warning in judged.warnings:
            if warning.code in _REFUSED:
                raise NoDraft(f"The draft was not taken: it {warning.message}")
    return Draft(text, _remarks(made, judged))


def _remarks(made: TranslatedCatalog, judged: Judged) -> str | None:
    if made.untranslated:
        return "No model is configured: only the glossary was applied, and the rest is not translated."
    remarks = [warning.message for warning in judged.warnings]
    remarks += [
        f"does not say {use.translation!r} for {use.term!r}, as the glossary does"
        for uses in made.missed.values()
        for use in uses
    ]
    return f"The draft {'; '.join(dict.fromkeys(remarks))}"[:_MAX_PROBLEM] if remarks else None
