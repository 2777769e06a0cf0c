"""Replies in words: what a text says, what tools answered, and that all of it is simulated."""

from collections.abc import Mapping, Sequence
from typing import Any

from builtin_plugins.ai.simulated.conversation import read_json, said_by, tool_results
from builtin_plugins.ai.simulated.words import nearest, sentences, stems, summary

LABEL = "(simulated reply: no model is configured)"
_SUMMARISE = frozenset(
    {"summarise", "summarize", "summary", "summari", "tldr", "samenvatt", "samenvatting", "resume"}
)
_MAX_REPEATED = 400
_MAX_RESULT = 2_000


def reply_to(messages: Sequence[Mapping[str, Any]]) -> str:
    """One reply, without its label."""
    if results := tool_results(messages):
        return "\n".join(f"{name}: {_result(text)}" for name, text in results)
    said = said_by(messages, "user")
    last = said[-1].strip() if said else ""
    if not last:
        return "There is nothing to reply to."
    system = "\n".join(said_by(messages, "system"))
    if _asks_for_summary(system) or _asks_for_summary(last):
        return summary(_given(last))
    question = _question(last)
    if question is not None:
        rest = last.replace(question, " ", 1) + "\n" + "\n".join([*said[:-1], system])
        if found := nearest(rest, question):
            return found
        return f"You asked: {question[:_MAX_REPEATED]}"
    if len(last) > _MAX_REPEATED:
        return summary(last)
    return f"You said: {last}"


def _asks_for_summary(text: str) -> bool:
    return not _SUMMARISE.isdisjoint(stems(text[:500])) or not _SUMMARISE.isdisjoint(stems(text[-200:]))


def _given(last: str) -> str:
    """The text to summarise: what follows the line or the colon that asks for it."""
    head, colon, rest = last.partition(":")
    if colon and len(head) < 200 and _asks_for_summary(head) and rest.strip():
        return rest.strip()
    first, _, rest = last.partition("\n")
    return rest.strip() if _asks_for_summary(first[:200]) and rest.strip() else last


def _question(text: str) -> str | None:
    found = [one for one in (sentences(text[:2_000]) + sentences(text[-2_000:])) if one.endswith("?")]
    return found[-1] if found else None


def _result(text: str) -> str:
    """What a tool answered, in words where it is JSON."""
    value = read_json(text)
    if isinstance(value, dict) and value and all(not isinstance(one, dict | list) for one in value.values()):
        return ", ".join(f"{name} {_spoken(one)}" for name, one in value.items())[:_MAX_RESULT]
    return text.strip()[:_MAX_RESULT]


def _spoken(value: Any) -> str:
    return "true" if value is True else "false" if value is False else "null" if value is None else str(value)
