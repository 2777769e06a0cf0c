"""The service `Translator`: texts go to the model of the role `utility`, and come back by the glossary."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from builtin_plugins.translation import history
from builtin_plugins.translation.catalogs import CatalogTranslation, checked_catalog
from builtin_plugins.translation.checks import message_problems
from builtin_plugins.translation.glossary import LoadedGlossaries, language_tag
from builtin_plugins.translation.matching import (
    Term,
    missing_translations,
    put_translations,
    replace_leftovers,
    terms_of,
)
from builtin_plugins.translation.turns import (
    TURN_FAILURES,
    TranslationTurns,
    readable,
    repair_turn,
    text_turn,
)
from builtin_plugins.translation.words import compute
from guildhall_sdk import Host, InvalidRequest, Principal, new_id
from guildhall_sdk.errors import RetryLater
from guildhall_sdk.services.localization import GlossaryUse, TranslatedCatalog, Translation
from guildhall_sdk.services.models import ModelFormat, ModelReply, ModelTurn, TokenUsage
from libs.names import locale_fault

MAX_CHARACTERS = 100_000
# A language may take more letters than another, but not that many.
_GROWTH, _GROWTH_ANYHOW = 6, 2_000
_LONG = 4_000


class _Translated(NamedTuple):
    """A text in the other language, and the terms that do not stand in it as they should."""

    text: str
    missed: Sequence[Term]
    usage: TokenUsage


class GlossaryTranslator:
    """Implements the SDK's `Translator`."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._glossaries = LoadedGlossaries(host)
        self._turns = TranslationTurns(host)

    async def translate(
        self,
        principal: Principal,
        text: str,
        target: str,
        *,
        source: str | None = None,
        within: str | None = None,
        recorded: bool = True,
    ) -> Translation:
        target = language_tag(target, "/target")
        source = None if source is None else language_tag(source, "/source")
        _check_text(text)
        glossary = await self._glossaries.load(principal, target)
        occurrences = await compute(principal.org_id, len(text), glossary.index.find(text))
        terms = terms_of(occurrences)
        turn = text_turn(text, target, source, terms, await self._glossaries.notes(principal, terms))
        reply = await self._ask(principal, text, turn, within)
        if reply.simulated:
            done = _Translated(put_translations(text, occurrences), (), reply.usage)
        else:
            done = await self._enforce(principal, text, turn, reply, terms, within)
        made = Translation(
            id=new_id("trl", now := self._host.clock.now_ms()),
            text=done.text,
            source=source or _language_said(reply),
            target=target,
            glossary=_uses(terms),
            missed=_uses(done.missed),
            simulated=reply.simulated,
            untranslated=reply.simulated,
            model=reply.model,
            usage=done.usage,
            created_at=now,
        )
        if recorded:
            async with self._host.data.write(within=principal.org_id) as writer:
                await history.record(writer, principal, text, made)
        return made

    def message_problems(self, source: str, translation: str, target: str) -> Sequence[str]:
        return message_problems(source, translation, target)

    async def translate_catalog(
        self,
        principal: Principal,
        messages: Mapping[str, str],
        target: str,
        *,
        source: str | None = None,
        within: str | None = None,
    ) -> TranslatedCatalog:
        target = language_tag(target, "/target")
        source = None if source is None else language_tag(source, "/source")
        size = checked_catalog(messages)
        glossary = await self._glossaries.load(principal, target)
        catalog = CatalogTranslation(
            principal=principal,
            turns=self._turns,
            glossaries=self._glossaries,
            index=glossary.index,
            target=target,
            source=source,
            within=within,
        )
        return await catalog.run(messages, size)

    async def _ask(self, principal: Principal, text: str, turn: ModelTurn, within: str | None) -> ModelReply:
        try:
            return await self._turns.ask(principal, turn, within)
        except ModelFormat as fault:
            if len(text) < _LONG:
                raise
            raise ModelFormat(
                f"{fault.detail} It may have cut the answer short: send the text in parts."
            ) from None

    async def _enforce(
        self,
        principal: Principal,
        text: str,
        turn: ModelTurn,
        reply: ModelReply,
        terms: Sequence[Term],
        within: str | None,
    ) -> _Translated:
        """Makes the glossary's words stand there: asks the model once more, then replaces leftovers."""
        answer, usage = _answer(reply, text), reply.usage
        size = len(text) + len(answer) + 100 * len(terms)
        missing = await compute(principal.org_id, size, missing_translations(answer, terms))
        if missing:
            try:
                again = await self._turns.ask(principal, repair_turn(turn, reply.text, missing), within)
                usage += again.usage
                better = _answer(again, text)
            except (*TURN_FAILURES, RetryLater):
                better = answer  # the first one is good but for the words
            left = await compute(principal.org_id, size, missing_translations(better, terms))
            if len(left) < len(missing):
                answer, missing = better, left
        if missing:
            answer = await compute(principal.org_id, size, replace_leftovers(answer, terms, missing))
            missing = await compute(principal.org_id, size, missing_translations(answer, terms))
        return _Translated(answer, missing, usage)


def _check_text(text: str) -> None:
    if not text.strip():
        raise InvalidRequest.at("/text", "has nothing to translate")
    if len(text) > MAX_CHARACTERS:
        raise InvalidRequest.at("/text", f"takes {MAX_CHARACTERS} characters; send it in parts")


def _answer(reply: ModelReply, text: str) -> str:
    """Returns the text of a reply. Raises `ModelFormat` for one that was cut, is empty, or cannot be true."""
    if reply.simulated or reply.finish_reason == "length":
        raise ModelFormat("The model cut its answer short: send the text in parts.")
    answer = readable(reply.parsed["text"])
    if not answer.strip():
        raise ModelFormat("The model's answer is empty; try again.")
    if len(answer) > _GROWTH * len(text) + _GROWTH_ANYHOW:
        raise ModelFormat("The model's answer is far longer than the text, and so no translation of it.")
    return answer


def _language_said(reply: ModelReply) -> str | None:
    """Returns what the model takes the text's language for, where it says so."""
    said = None if reply.simulated else reply.parsed.get("source")
    return language_tag(said, "") if isinstance(said, str) and locale_fault(said) is None else None


def _uses(terms: Sequence[Term]) -> Sequence[GlossaryUse]:
    return [GlossaryUse(term.term, term.translation) for term in terms]
