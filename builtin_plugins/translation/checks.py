"""A message of a catalog and its translation: what must be kept, and whether it is."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from builtin_plugins.translation.matching import (
    Occurrence,
    Term,
    TermIndex,
    missing_translations,
    put_translations,
    replace_leftovers,
    terms_of,
)
from builtin_plugins.translation.turns import readable
from libs.fair_slots import Steps
from libs.icu_messages import Message, MessageFault, argument_differences, category_faults, parse_message

# A language may take more letters than another, but not that many.
_GROWTH, _GROWTH_ANYHOW = 6, 1_000
# As in French before a name. To a message it would begin a quotation, which nobody means there.
_ELISION = re.compile(r"(?<=\w)'(?=\{)")


@dataclass(frozen=True, slots=True)
class CheckedMessage:
    """A translation that is taken, or what is wrong with it; `missing` are terms that it should have."""

    text: str
    fault: str | None = None
    missing: Sequence[Term] = ()

    @property
    def complaint(self) -> str:
        """What the model is told when it is asked again."""
        words = ", ".join(f"{term.translation!r} for {term.term!r}" for term in self.missing)
        return self.fault or (f"must have {words}" if words else "")

    def is_better_than(self, other: "CheckedMessage") -> bool:
        if self.fault is not None:
            return False
        return other.fault is not None or len(self.missing) < len(other.missing)


class Planned(NamedTuple):
    """A message to be translated, and the terms that stand in what its readers see."""

    text: str
    message: Message
    occurrences: Sequence[Occurrence]

    def by_glossary(self) -> CheckedMessage:
        """Returns the message with the glossary applied and nothing else."""
        text = put_translations(self.text, self.occurrences)
        if _still_fits(self.message, text) is None:
            return CheckedMessage(self.text, missing=terms_of(self.occurrences))
        return CheckedMessage(text)


class Plan(NamedTuple):
    """What goes to the model, and what cannot."""

    messages: Mapping[str, Planned]
    problems: Mapping[str, str]


def plan(messages: Mapping[str, str], index: TermIndex) -> Steps[Plan]:
    """Reads a catalog. A message in which there is nothing to read needs no translation."""
    planned: dict[str, Planned] = {}
    problems: dict[str, str] = {}
    for key, text in messages.items():
        yield
        try:
            message = parse_message(text)
        except MessageFault as fault:
            problems[key] = f"the source is no ICU message: {fault}"
            continue
        if any(char.isalpha() for begin, end in message.texts for char in text[begin:end]):
            occurrences = yield from index.find(text, message.texts)
            planned[key] = Planned(text, message, occurrences)
    return Plan(planned, problems)


def message_problems(source: str, translation: str, target: str) -> Sequence[str]:
    """Returns what a translation of an ICU message lacks or has too much."""
    try:
        before = parse_message(source)
    except MessageFault as fault:
        return [f"the source is no ICU message: {fault}"]
    try:
        after = parse_message(translation)
    except MessageFault as fault:
        return [f"the translation is no ICU message: {fault}"]
    differences = [*argument_differences(before, after), *category_faults(before, after, target)]
    return [f"the translation {one}" for one in differences]


def check_message(planned: Planned, answer: str | None, target: str) -> Steps[CheckedMessage]:
    """Holds a translation against its source."""
    if answer is None:
        return _refused("the model left it out")
    text = _ELISION.sub("''", readable(answer))
    if len(text) > _GROWTH * len(planned.text) + _GROWTH_ANYHOW:
        return _refused("the translation is far longer than its source")
    try:
        message = parse_message(text)
    except MessageFault as fault:
        return _refused(f"the translation is no ICU message: {fault}")
    differences = [
        *argument_differences(planned.message, message),
        *category_faults(planned.message, message, target),
    ]
    if differences:
        return _refused("the translation " + "; ".join(differences))
    if not text.strip():
        return _refused("the translation is empty")
    terms = terms_of(planned.occurrences)
    return CheckedMessage(text, missing=(yield from missing_translations(text, terms, message.texts)))


def put_right(planned: Planned, checked: CheckedMessage) -> Steps[CheckedMessage]:
    """Puts missing translations where the terms themselves were left, outside of placeholders."""
    if checked.fault is not None or not checked.missing:
        return checked
    terms, spans = terms_of(planned.occurrences), parse_message(checked.text).texts
    text = yield from replace_leftovers(checked.text, terms, checked.missing, spans)
    message = _still_fits(planned.message, text)
    if message is None:
        return checked
    missing = yield from missing_translations(text, terms, message.texts)
    return replace(checked, text=text, missing=missing)


def _still_fits(source: Message, text: str) -> Message | None:
    """Returns the message, unless a translation of the glossary brought signs that mean something in it."""
    try:
        message = parse_message(text)
    except MessageFault:
        return None
    return None if argument_differences(source, message) else message


def _refused(fault: str) -> CheckedMessage:
    return CheckedMessage("", fault=fault)
