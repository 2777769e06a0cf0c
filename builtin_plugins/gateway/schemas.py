"""What clients of OpenAI's API send, as far as it can be done here; any other member is refused."""

from typing import Any

from guildhall_sdk.schema import (
    Schema,
    anything,
    array,
    boolean,
    enum,
    integer,
    nullable,
    number,
    obj,
    string,
)
from guildhall_sdk.services.models import MAX_MAX_TOKENS

MAX_BODY = 8 * 1024 * 1024
_MAX_MESSAGES = 2_000
_model = string(min_length=1, max_length=64, description="A model by its name: see GET /v1/models")
_unit = number(minimum=0, maximum=1)
_penalty = nullable(number(minimum=-2, maximum=2))
_max_tokens = nullable(integer(1, MAX_MAX_TOKENS))
# Taken and without effect: what says something about the caller, or is as it is here anyway.
_ABOUT_THE_CALLER: dict[str, Schema] = {
    "user": nullable(string(max_length=512)),
    "metadata": anything(),
    "store": anything(),
    "service_tier": anything(),
    "safety_identifier": anything(),
    "prompt_cache_key": anything(),
    "prompt_cache_retention": anything(),
}


def _member(properties: dict[str, Any], *required: str) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required)}


_FUNCTION = {
    "name": string(min_length=1, max_length=64),
    "description": string(max_length=8_192),
    "parameters": {"type": "object"},
}
_part = _member(
    {"type": enum("text", "image_url"), "text": string(), "image_url": {"type": "object"}}, "type"
)
_message = _member(
    {
        "role": enum("system", "developer", "user", "assistant", "tool"),
        "content": {"anyOf": [string(), array(_part), {"type": "null"}]},
        "tool_calls": nullable(array({"type": "object"}, maxItems=128)),
        "tool_call_id": string(max_length=512),
    },
    "role",
)
_json_schema = _member(
    {
        "name": string(min_length=1, max_length=64),
        "schema": anything(description="JSON Schema 2020-12 without recursion"),
        "strict": nullable(boolean()),
        "description": nullable(string()),
    },
    "name",
    "schema",
)
_response_format = {
    "anyOf": [
        _member({"type": enum("text", "json_object")}, "type"),
        _member({"type": enum("json_schema"), "json_schema": _json_schema}, "type", "json_schema"),
    ]
}
CHAT = obj(
    {
        "model": _model,
        "messages": array(_message, minItems=1, maxItems=_MAX_MESSAGES),
        "stream": nullable(boolean()),
        "stream_options": nullable(_member({"include_usage": boolean()})),
        "max_tokens": _max_tokens,
        "max_completion_tokens": _max_tokens,
        "temperature": nullable(number(minimum=0, maximum=2)),
        "top_p": nullable(_unit),
        "stop": nullable({"anyOf": [string(), array(string(), maxItems=16)]}),
        "seed": nullable(integer()),
        "presence_penalty": _penalty,
        "frequency_penalty": _penalty,
        "logit_bias": nullable({"type": "object"}),
        "reasoning_effort": nullable(string(max_length=16)),
        "n": nullable(integer(1, 1, description="One answer alone")),
        "logprobs": nullable({"const": False}),
        "tools": nullable(
            array(
                _member(
                    {"type": enum("function"), "function": _member(_FUNCTION, "name")}, "type", "function"
                )
            )
        ),
        "tool_choice": nullable({"anyOf": [enum("none", "auto", "required"), {"type": "object"}]}),
        "parallel_tool_calls": nullable(boolean()),
        "response_format": nullable(_response_format),
        "modalities": nullable(array(enum("text"), description="Text alone")),
        **_ABOUT_THE_CALLER,
    },
    required=["model", "messages"],
    example={"model": "default", "messages": [{"role": "user", "content": "What is a guild?"}]},
)

_text = string(min_length=1, max_length=100_000)
EMBEDDINGS = obj(
    {
        "model": _model,
        "input": {"anyOf": [_text, array(_text, minItems=1, maxItems=2_048)]},
        "encoding_format": nullable(enum("float", "base64")),
        "user": nullable(string(max_length=512)),
    },
    required=["model", "input"],
    example={"model": "default", "input": "What is a guild?"},
)

_input_item = {"type": "object", "description": "A message, a function_call or a function_call_output"}
RESPONSES = obj(
    {
        "model": _model,
        "input": {"anyOf": [string(min_length=1), array(_input_item, minItems=1, maxItems=_MAX_MESSAGES)]},
        "instructions": nullable(string()),
        "stream": nullable(boolean()),
        "max_output_tokens": _max_tokens,
        "temperature": nullable(number(minimum=0, maximum=2)),
        "top_p": nullable(_unit),
        "tools": nullable(
            array(_member({"type": enum("function"), **_FUNCTION, "strict": anything()}, "type", "name"))
        ),
        "tool_choice": nullable({"anyOf": [enum("none", "auto", "required"), {"type": "object"}]}),
        "parallel_tool_calls": nullable(boolean()),
        "text": nullable(_member({"format": {"type": "object"}})),
        "reasoning": nullable({"type": "object"}),
        "truncation": nullable(enum("disabled")),
        "background": nullable({"const": False}),
        "include": nullable(array(string(), maxItems=0)),
        **_ABOUT_THE_CALLER,
    },
    required=["model", "input"],
    example={"model": "default", "input": "What is a guild?"},
)
