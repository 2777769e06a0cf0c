"""Answers of the simulated model: words, a value of a schema, or calls of tools."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from builtin_plugins.ai.simulated.conformance import conforms
from builtin_plugins.ai.simulated.conversation import read_json, said_by, tool_results
from builtin_plugins.ai.simulated.facts import Facts
from builtin_plugins.ai.simulated.instances import make_instance
from builtin_plugins.ai.simulated.references import simplified
from builtin_plugins.ai.simulated.replies import LABEL, reply_to
from builtin_plugins.ai.simulated.text_fields import TextFields
from builtin_plugins.ai.simulated.tool_choice import choose_calls
from builtin_plugins.ai.simulated.words import MAX_CHARACTERS
from builtin_plugins.ai.tokens import BYTES_PER_TOKEN, estimated_prompt, estimated_tokens
from guildhall_sdk.services.models import ModelTurn
from libs.model_wire import Completion, FunctionCall, TokenCounts, sound

#: The name of a `response_format` that asks for a translation.
TRANSLATION = "translation"


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
    """Any object: the reply, and what the text labels; shorter where there is little room."""
    labelled = Facts(_read_text(turn, said)).labelled
    reply, room = reply_to(turn.messages), turn.max_tokens * BYTES_PER_TOKEN
    answers: list[dict[str, Any]] = [
        {**dict([*labelled.items()][:32]), "simulated": True, "reply": reply},
        {"simulated": True, "reply": reply[: room // 8]},
    ]
    written = [*map(_written, answers)]
    return next((text for text in written if len(text.encode()) <= room), "{}")


def _instance(turn: ModelTurn, schema: Any, is_translation: bool, said: Sequence[str]) -> str:
    """A value of the schema; of a translation the source as it is, for nobody here knows the language."""
    if is_translation and said and (same := _untranslated(schema, said[0])) is not None:
        return _written(same)
    room = turn.max_tokens * BYTES_PER_TOKEN
    text = _read_text(turn, said)
    shortest = "null"
    for length in (MAX_CHARACTERS, room // 4, room // 16, 0):
        made = make_instance(schema, TextFields(text[:length], partial(_reply, turn, length)))
        if made is None:
            return shortest
        shortest = _written(made.value)
        if len(shortest.encode()) <= room:
            break
    return shortest


def _untranslated(schema: Any, source: str) -> Any:
    """`{text}` or `{messages}` with the source unchanged, as the schema has it; None where neither fits."""
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
    """What values are taken from: all that the user said, and what tools answered."""
    results = [text for _, text in tool_results(turn.messages)]
    return "\n\n".join([*said, *results])[:MAX_CHARACTERS]


def _reply(turn: ModelTurn, length: int) -> str:
    return reply_to(turn.messages)[:length]


def _written(value: Any) -> str:
    return sound(json.dumps(value, ensure_ascii=False, allow_nan=False))


def _completion(turn: ModelTurn, text: str, calls: Sequence[FunctionCall] = ()) -> Completion:
    """Cuts what is longer than the turn allows, and counts."""
    text = sound(text)
    room = turn.max_tokens * BYTES_PER_TOKEN
    whole = text.encode()
    cut = len(whole) > room
    if cut:
        text = whole[:room].decode(errors="ignore")
    spoken = text + "".join(call.name + call.arguments for call in calls)
    return Completion(
        text=text,
        finish_reason="tool_calls" if calls else "length" if cut else "stop",
        tool_calls=calls,
        usage=TokenCounts(estimated_prompt(turn), estimated_tokens(spoken)),
    )
