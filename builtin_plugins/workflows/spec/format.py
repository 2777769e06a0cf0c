"""The format of a spec as JSON Schema, with a number of its own, and what an editor needs beside it."""

from collections.abc import Mapping
from typing import Any

from builtin_plugins.workflows.spec.bindings import FROM, MAX_REFERENCE
from builtin_plugins.workflows.spec.bounds import MAX_CHARACTERS, MAX_DEPTH, MAX_INPUT_CHARACTERS, MAX_NODES
from builtin_plugins.workflows.spec.inputs import TYPES
from builtin_plugins.workflows.spec.reading import DEFAULT_MAX_STEPS
from libs.names import NAME_MAX

#: Raised when a spec that was right before would be refused, or would mean something else.
FORMAT_VERSION = 1
MAX_RETRY = 10
MAX_STEPS = 20_000
MAX_ITEMS = 10_000
MAX_STEP_COUNT = 1_000
MAX_INPUTS = 100
MAX_VERSION = 10**9

_NAME = "[A-Za-z_][A-Za-z0-9_-]{0,63}"
_PATH = r"(\.[^.]+)*"

_DEFINITIONS: Mapping[str, Any] = {
    "name": {
        "type": "string",
        "pattern": f"^{_NAME}$",
        "description": "up to 64 letters, digits, _ and -, beginning with a letter or _",
    },
    "tool_name": {
        "type": "string",
        "pattern": "^[a-z][a-z0-9_]{0,63}$",
        "description": "the name of a tool: small letters, digits and _",
    },
    "input": {
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": list(TYPES)},
            "required": {"type": "boolean", "default": True},
            "default": {"description": "Taken where the run is given none; for required: false"},
        },
        "required": ["type"],
        "additionalProperties": False,
    },
    "reference": {
        "type": "object",
        "properties": {
            FROM: {
                "type": "string",
                "maxLength": MAX_REFERENCE,
                "pattern": rf"^(input\.{_NAME}{_PATH}|steps\.{_NAME}\.output\.results?{_PATH}|item{_PATH}"
                r"|index|locale|run\.id|team\.id|user\.id|principal\.locale)$",
                "description": "a reference, such as input.message or steps.find.output.result",
            }
        },
        "required": [FROM],
        "additionalProperties": False,
    },
    "arguments": {
        "type": "object",
        "propertyNames": {"pattern": r"^(?!\$)", "description": "no name begins with $, but for $from alone"},
        "additionalProperties": {"$ref": "#/$defs/binding"},
    },
    "binding": {
        "anyOf": [
            {"$ref": "#/$defs/reference"},
            {"$ref": "#/$defs/arguments"},
            {"type": "array", "items": {"$ref": "#/$defs/binding"}},
            {"type": ["string", "number", "boolean", "null"]},
        ]
    },
    "items": {
        "anyOf": [
            {"$ref": "#/$defs/reference"},
            {"type": "array", "items": {"$ref": "#/$defs/binding"}},
        ]
    },
    "pair": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"$ref": "#/$defs/binding"}},
    "predicate": {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "properties": {
            "empty": {"$ref": "#/$defs/binding"},
            "present": {"$ref": "#/$defs/binding"},
            "equals": {"$ref": "#/$defs/pair"},
            "in": {"$ref": "#/$defs/pair"},
            "contains": {"$ref": "#/$defs/pair"},
            "greater": {"$ref": "#/$defs/pair"},
            "less": {"$ref": "#/$defs/pair"},
        },
        "additionalProperties": False,
    },
}
_RETRY = {"type": "integer", "minimum": 0, "maximum": MAX_RETRY, "default": 0}
_END = {"type": "boolean", "default": False}
_STEP_NAME = {"$ref": "#/$defs/name"}
_CALL = {
    "tool": {"$ref": "#/$defs/tool_name"},
    "with": {"$ref": "#/$defs/arguments"},
    "retry": _RETRY,
    "end": _END,
}


def _step(kind: str, fields: Mapping[str, Any], *required: str) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": {"name": _STEP_NAME, "kind": {"const": kind}, **fields},
        "required": ["name", "kind", *required],
        "additionalProperties": False,
    }


_STEPS = {
    "tool": _step("tool", _CALL, "tool"),
    "map": _step("map", {"over": {"$ref": "#/$defs/items"}, **_CALL}, "over", "tool"),
    "choice": _step(
        "choice",
        {"when": {"$ref": "#/$defs/predicate"}, "then": _STEP_NAME, "else": _STEP_NAME},
        "when",
        "then",
        "else",
    ),
}

#: The format; an unknown field is refused everywhere.
SCHEMA: Mapping[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Workflow",
    "type": "object",
    "properties": {
        "slug": {
            "type": "string",
            "pattern": "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$",
            "description": "up to 64 small letters, digits and -, which is neither first nor last",
        },
        "version": {"type": "integer", "minimum": 1, "maximum": MAX_VERSION},
        "name": {"type": "string", "minLength": 1, "maxLength": NAME_MAX},
        "inputs": {
            "type": "object",
            "maxProperties": MAX_INPUTS,
            "propertyNames": {"$ref": "#/$defs/name"},
            "additionalProperties": {"$ref": "#/$defs/input"},
        },
        "start": _STEP_NAME,
        "max_steps": {"type": "integer", "minimum": 1, "maximum": MAX_STEPS, "default": DEFAULT_MAX_STEPS},
        "steps": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_STEP_COUNT,
            "items": {"anyOf": [{"$ref": f"#/$defs/{kind}_step"} for kind in _STEPS]},
        },
    },
    "required": ["slug", "start", "steps"],
    "additionalProperties": False,
    "$defs": {**_DEFINITIONS, **{f"{kind}_step": step for kind, step in _STEPS.items()}},
}

#: What `GET /api/workflows/schema` answers.
DESCRIPTION: Mapping[str, Any] = {
    "version": FORMAT_VERSION,
    "schema": SCHEMA,
    "step_kinds": [
        {"kind": "tool", "doc": "Calls a tool; its output is {result}.", "output": "result"},
        {
            "kind": "map",
            "doc": "Calls a tool once for each item of a list; its output is {results: [{result}]}.",
            "output": "results",
        },
        {
            "kind": "choice",
            "doc": "Goes to the step `then` where `when` holds, else to `else`.",
            "output": None,
        },
    ],
    "references": [
        {"reference": "input.<name>[.<path>]", "doc": "An input of the run, or what lies in it."},
        {"reference": "steps.<step>.output.result[.<path>]", "doc": "The output of a tool step."},
        {"reference": "steps.<step>.output.results[.<path>]", "doc": "The outputs of a map, in order."},
        {"reference": "item[.<path>]", "doc": "The item at hand; in the `with` of a map alone."},
        {"reference": "index", "doc": "The number of the item from 0; in the `with` of a map alone."},
        {"reference": "locale", "doc": "The language tag of whoever started the run."},
        {"reference": "principal.locale", "doc": "The same as locale."},
        {"reference": "run.id", "doc": "The id of the run."},
        {"reference": "team.id", "doc": "The id of the team."},
        {"reference": "user.id", "doc": "The id of whoever started the run."},
    ],
    "predicates": [
        {"predicate": "empty", "operands": 1, "doc": "Nothing, null, an empty text, list or object."},
        {"predicate": "present", "operands": 1, "doc": "Anything but nothing and null."},
        {"predicate": "equals", "operands": 2, "doc": "Both are the same JSON."},
        {"predicate": "in", "operands": 2, "doc": "The first stands in the second, a list."},
        {"predicate": "contains", "operands": 2, "doc": "The first, a list or a text, contains the second."},
        {"predicate": "greater", "operands": 2, "doc": "The first is greater; two numbers or two texts."},
        {"predicate": "less", "operands": 2, "doc": "The first is less; two numbers or two texts."},
    ],
    "input_types": list(TYPES),
    "limits": {
        "max_steps": MAX_STEPS,
        "default_max_steps": DEFAULT_MAX_STEPS,
        "retry": MAX_RETRY,
        "items": MAX_ITEMS,
        "steps": MAX_STEP_COUNT,
        "inputs": MAX_INPUTS,
        "input_characters": MAX_INPUT_CHARACTERS,
        "nodes": MAX_NODES,
        "characters": MAX_CHARACTERS,
        "depth": MAX_DEPTH,
        "reference": MAX_REFERENCE,
    },
}
