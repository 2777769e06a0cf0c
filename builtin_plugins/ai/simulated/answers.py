"""Answers of the simulated model: words, a value of a schema, or calls of tools."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from builtin_plugins.ai.metering import BYTES_PER_TOKEN, estimated_prompt, estimated_tokens
from builtin_plugins.ai.simulated.conformance import conforms
from builtin_plugins.ai.simulated.facts import Facts
from builtin_plugins.ai.simulated.instances import make_instance
from builtin_plugins.ai.simulated.shapes import simplified
from builtin_plugins.ai.simulated.text_fields import TextFields
from builtin_plugins.ai.simulated.tool_choice import choose_calls
from builtin_plugins.ai.simulated.words import (
    MAX_CHARACTERS,
    nearest,
    read_json,
    said_by,
    sentences,
    stems,
    summary,
    tool_results,
)
from guildhall_sdk.services.models import ModelTurn
from libs.model_wire import Completion, FunctionCall, TokenCounts, sound

LABEL = "(simulated reply: no model is configured)"
_SUMMARISE = frozenset(
    {"summarise", "summarize", "summary", "summari", "tldr", "samenvatt", "samenvatting", "resume"}
)
_MAX_REPEATED = 400
_MAX_RESULT = 2_000

#: The name of a `response_format` that asks for a translation.
TRANSLATION = "translation"


def reply_to(messages: Sequence[Mapping[str, Any]]) -> str:
    """Returns one reply, without its label."""
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
    """Returns the text to summarise: what follows the line or the colon that asks for it."""
    head, colon, rest = last.partition(":")
    if colon and len(head) < 200 and _asks_for_summary(head) and rest.strip():
        return rest.strip()
    first, _, rest = last.partition("\n")
    return rest.strip() if _asks_for_summary(first[:200]) and rest.strip() else last


def _question(text: str) -> str | None:
    found = [one for one in (sentences(text[:2_000]) + sentences(text[-2_000:])) if one.endswith("?")]
    return found[-1] if found else None


def _result(text: str) -> str:
    """Returns what a tool answered, in words where it is JSON."""
    value = read_json(text)
    if isinstance(value, dict) and value and all(not isinstance(one, dict | list) for one in value.values()):
        return ", ".join(f"{name} {_spoken(one)}" for name, one in value.items())[:_MAX_RESULT]
    return text.strip()[:_MAX_RESULT]


def _spoken(value: Any) -> str:
    return "true" if value is True else "false" if value is False else "null" if value is None else str(value)


def answer_turn(turn: ModelTurn) -> Completion:
    """Answers a turn from what stands in it: nothing else is read, and the same turn gets the same answer."""
    messages = turn.messages
    said = said_by(messages, "user")
    calls: Sequence[FunctionCall] = ()
    if turn.tools and said and not tool_results(messages):
        calls = choose_calls(turn.tools, messages, said[-1])
    return _completion(turn, "" if calls else _text(turn, said), calls)


def _text(turn: ModelTurn, said: Sequence[str]) -> str:
    wanted = turn.response_format or {}
    if wanted.get("type") == "json_schema":
        described = wanted.get("json_schema")
        described = described if isinstance(described, Mapping) else {}
        return _instance(turn, described.get("schema", True), described.get("name") == TRANSLATION, said)
    if wanted.get("type") == "json_object":
        return _object(turn, said)
    # With tools, what the system says is how to use them, and nothing that a question could be about.
    messages = [one for one in turn.messages if not turn.tools or one["role"] != "system"]
    return f"{LABEL}\n{reply_to(messages)}"


def _object(turn: ModelTurn, said: Sequence[str]) -> str:
    """Returns any object: the reply, and what the text labels; shorter where there is little capacity."""
    labelled = Facts(_read_text(turn, said)).labelled
    reply, capacity = reply_to(turn.messages), turn.max_tokens * BYTES_PER_TOKEN
    answers: list[dict[str, Any]] = [
        {**dict([*labelled.items()][:32]), "simulated": True, "reply": reply},
        {"simulated": True, "reply": reply[: capacity // 8]},
    ]
    written = [*map(_written, answers)]
    return next((text for text in written if len(text.encode()) <= capacity), "{}")


def _instance(turn: ModelTurn, schema: Any, is_translation: bool, said: Sequence[str]) -> str:
    """Returns a value of the schema; of a translation the source as it is: no language is known here."""
    if is_translation and said and (same := _untranslated(schema, said[0])) is not None:
        return _written(same)
    capacity = turn.max_tokens * BYTES_PER_TOKEN
    text = _read_text(turn, said)
    shortest = "null"
    for length in (MAX_CHARACTERS, capacity // 4, capacity // 16, 0):
        made = make_instance(schema, TextFields(text[:length], partial(_reply, turn, length)))
        if made is None:
            return shortest
        shortest = _written(made.value)
        if len(shortest.encode()) <= capacity:
            break
    return shortest


def _untranslated(schema: Any, source: str) -> Any:
    """Returns `{text}` or `{messages}` with the source unchanged; None where the schema has neither."""
    given = read_json(source)
    given = given if isinstance(given, dict) else None
    tried: list[Any] = [
        {"text": source},
        {"text": (given or {}).get("text")},
        {"messages": (given or {}).get("messages")},
        {"messages": given},
        given,
    ]
    simple = simplified(schema)
    properties = simple.get("properties", {}) if isinstance(simple, Mapping) else {}
    if given is not None and "text" in given and "messages" not in properties:
        tried[:2] = tried[1::-1]
    return next(
        (value for value in tried if value and properties.keys() & value.keys() and conforms(value, simple)),
        None,
    )


def _read_text(turn: ModelTurn, said: Sequence[str]) -> str:
    """Returns what values are taken from: all that the user said, and what tools answered."""
    results = [text for _, text in tool_results(turn.messages)]
    return "\n\n".join([*said, *results])[:MAX_CHARACTERS]


def _reply(turn: ModelTurn, length: int) -> str:
    return reply_to(turn.messages)[:length]


def _written(value: Any) -> str:
    return sound(json.dumps(value, ensure_ascii=False, allow_nan=False))


def _completion(turn: ModelTurn, text: str, calls: Sequence[FunctionCall] = ()) -> Completion:
    """Cuts what is longer than the turn allows, and counts."""
    text = sound(text)
    capacity = turn.max_tokens * BYTES_PER_TOKEN
    whole = text.encode()
    cut = len(whole) > capacity
    if cut:
        text = whole[:capacity].decode(errors="ignore")
    spoken = text + "".join(call.name + call.arguments for call in calls)
    return Completion(
        text=text,
        finish_reason="tool_calls" if calls else "length" if cut else "stop",
        tool_calls=calls,
        usage=TokenCounts(estimated_prompt(turn), estimated_tokens(spoken)),
    )
