"""Catalogs: many ICU messages at once, of which each is checked by its source before it is taken."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from builtin_plugins.translation.checks import CheckedMessage, Planned, check_message, plan, put_right
from builtin_plugins.translation.glossary import LoadedGlossaries
from builtin_plugins.translation.matching import TermIndex, terms_of
from builtin_plugins.translation.turns import TURN_FAILURES, TranslationTurns, catalog_turn
from builtin_plugins.translation.words import compute
from guildhall_sdk import InvalidRequest, Principal, Problem
from guildhall_sdk.errors import RetryLater, json_pointer
from guildhall_sdk.services.localization import GlossaryUse, TranslatedCatalog
from guildhall_sdk.services.models import NO_TOKENS, ModelFormat, ModelReply, TokenUsage
from libs.fair_slots import Steps

MAX_MESSAGES = 2_000
MAX_KEY = 200
MAX_MESSAGE = 10_000
MAX_CHARACTERS = 100_000
# Of one turn.
_MESSAGES_PER_TURN = 100
_CHARACTERS_PER_TURN = 8_000
# A schema names every key, and takes 64 KiB.
_KEY_BYTES_PER_TURN = 32 * 1024


def checked_catalog(messages: Mapping[str, str]) -> int:
    """Returns how many characters a catalog has. Raises `InvalidRequest` for one that is not taken."""
    if len(messages) > MAX_MESSAGES:
        raise InvalidRequest.at("/messages", f"takes {MAX_MESSAGES} messages; send them in parts")
    for key, text in messages.items():
        pointer = json_pointer("messages", key)
        if not 1 <= len(key) <= MAX_KEY:
            raise InvalidRequest.at(pointer, f"a key takes 1 to {MAX_KEY} characters")
        if len(text) > MAX_MESSAGE:
            raise InvalidRequest.at(pointer, f"takes {MAX_MESSAGE} characters")
    size = sum(map(len, messages.values()))
    if size > MAX_CHARACTERS:
        raise InvalidRequest.at("/messages", f"takes {MAX_CHARACTERS} characters in all; send it in parts")
    return size


@dataclass(slots=True, kw_only=True, eq=False)
class CatalogTranslation:
    """One catalog on its way into another language."""

    principal: Principal
    turns: TranslationTurns
    glossaries: LoadedGlossaries
    index: TermIndex
    target: str
    source: str | None
    within: str | None
    _planned: dict[str, Planned] = field(default_factory=dict)
    _done: dict[str, CheckedMessage] = field(default_factory=dict)
    _problems: dict[str, str] = field(default_factory=dict)
    _usage: TokenUsage = NO_TOKENS
    _last_reply: ModelReply | None = None

    async def run(self, messages: Mapping[str, str], size: int) -> TranslatedCatalog:
        """Takes a turn for each batch, and one more for what is wrong in its answer."""
        planned = await compute(self.principal.org_id, size, plan(messages, self.index))
        self._planned, self._problems = dict(planned.messages), dict(planned.problems)
        batches = [*_batches(planned.messages)]
        for number, batch in enumerate(batches):
            try:
                await self._translate(batch)
            except (*TURN_FAILURES, RetryLater) as failure:
                if not self._done or self._can_wait(failure):
                    raise
                # What is done is paid for; a model that failed otherwise would fail again.
                alone = isinstance(failure, ModelFormat)
                for rest in [batch] if alone else batches[number:]:
                    self._give_up(rest, failure)
                if not alone:
                    break
        return self._catalog(messages)

    def _can_wait(self, failure: Problem) -> bool:
        """Tells whether somebody waits for a better time: a job, which is put off to it."""
        return self.within is not None and isinstance(failure, RetryLater)

    async def _translate(self, batch: Sequence[str]) -> None:
        reply, checked = await self._ask(batch, {})
        wrong = {key: one.complaint for key, one in checked.items() if one.complaint}
        if wrong and not reply.simulated:
            try:
                _, again = await self._ask([*wrong], wrong)
                checked |= {key: one for key, one in again.items() if one.is_better_than(checked[key])}
            except (*TURN_FAILURES, RetryLater) as failure:
                if self._can_wait(failure):
                    raise
                # What the first answer has right stands.
        put = await compute(self.principal.org_id, self._size(batch), self._put_right(checked))
        self._done |= {key: one for key, one in put.items() if one.fault is None}
        self._problems |= {key: one.fault for key, one in put.items() if one.fault is not None}

    async def _ask(
        self, batch: Sequence[str], problems: Mapping[str, str]
    ) -> tuple[ModelReply, dict[str, CheckedMessage]]:
        messages = {key: self._planned[key].text for key in batch}
        terms = terms_of(one for key in batch for one in self._planned[key].occurrences)
        notes = await self.glossaries.notes(self.principal, terms)
        turn = catalog_turn(messages, self.target, self.source, terms, notes, problems)
        reply = await self.turns.ask(self.principal, turn, self.within)
        self._usage, self._last_reply = self._usage + reply.usage, reply
        checked = await compute(self.principal.org_id, self._size(batch), self._check(batch, reply))
        return reply, checked

    def _check(self, batch: Sequence[str], reply: ModelReply) -> Steps[dict[str, CheckedMessage]]:
        checked: dict[str, CheckedMessage] = {}
        for key in batch:
            yield
            if reply.simulated:
                checked[key] = self._planned[key].by_glossary()
            else:
                answer = reply.parsed["messages"].get(key)
                checked[key] = yield from check_message(self._planned[key], answer, self.target)
        return checked

    def _put_right(self, checked: Mapping[str, CheckedMessage]) -> Steps[dict[str, CheckedMessage]]:
        put: dict[str, CheckedMessage] = {}
        for key, one in checked.items():
            put[key] = yield from put_right(self._planned[key], one)
        return put

    def _size(self, batch: Sequence[str]) -> int:
        return 2 * sum(len(self._planned[key].text) for key in batch)

    def _give_up(self, batch: Sequence[str], failure: Problem) -> None:
        for key in batch:
            self._problems.setdefault(key, f"was not translated: {failure.detail}")

    def _catalog(self, messages: Mapping[str, str]) -> TranslatedCatalog:
        reply = self._last_reply
        terms = terms_of(one for planned in self._planned.values() for one in planned.occurrences)
        return TranslatedCatalog(
            target=self.target,
            messages={
                key: self._done[key].text if key in self._done else text for key, text in messages.items()
            },
            problems={key: self._problems[key] for key in messages if key in self._problems},
            glossary=[GlossaryUse(term.term, term.translation) for term in terms],
            missed={
                key: [GlossaryUse(term.term, term.translation) for term in one.missing]
                for key, one in self._done.items()
                if one.missing
            },
            simulated=reply is not None and reply.simulated,
            untranslated=reply is not None and reply.simulated,
            model="" if reply is None else reply.model,
            usage=self._usage,
        )


def _batches(planned: Mapping[str, Planned]) -> Iterator[Sequence[str]]:
    """Yields the keys, so many that their texts fit in a turn."""
    batch: list[str] = []
    size = key_bytes = 0
    for key, one in planned.items():
        more = len(json.dumps(key))
        full = len(batch) == _MESSAGES_PER_TURN or size + len(one.text) > _CHARACTERS_PER_TURN
        if batch and (full or key_bytes + more > _KEY_BYTES_PER_TURN):
            yield batch
            batch, size, key_bytes = [], 0, 0
        batch.append(key)
        size += len(one.text)
        key_bytes += more
    if batch:
        yield batch
