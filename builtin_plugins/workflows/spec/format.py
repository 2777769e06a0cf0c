"""The format of a spec as JSON Schema, with a number of its own, and what an editor needs beside it."""

from collections.abc import Mapping, Sequence
from typing import Any

from builtin_plugins.workflows.spec.bindings import FROM, MAX_REFERENCE
from builtin_plugins.workflows.spec.model import DEFAULT_MAX_STEPS, TYPES
from builtin_plugins.workflows.spec.problems import MAX_CHARACTERS, MAX_DEPTH, MAX_INPUT_CHARACTERS, MAX_NODES
from builtin_plugins.workflows.spec.shape import Shapes
from guildhall_sdk.services.workflows import StepKind
from libs.names import NAME_MAX

#: Raised when kinds of steps come or a spec means something else. What was right in an earlier one still is.
FORMAT_VERSION = 2
MAX_RETRY = 10
MAX_STEPS = 20_000
MAX_ITEMS = 10_000
MAX_STEP_COUNT = 1_000
MAX_BRANCHES = 100
MAX_CODES = 50
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
    "catch": {
        "type": "object",
        "properties": {
            "codes": {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_CODES,
                "items": {"type": "string", "minLength": 1, "maxLength": 200},
                "description": "The codes of the failures that it is for; without them every one",
            },
            "next": {"$ref": "#/$defs/name"},
        },
        "required": ["next"],
        "additionalProperties": False,
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
_CATCH = {"catch": {"$ref": "#/$defs/catch"}}
_NEXT = {"next": _STEP_NAME, "end": _END}
_CALL = {
    "tool": {"$ref": "#/$defs/tool_name"},
    "with": {"$ref": "#/$defs/arguments"},
    "retry": _RETRY,
    "end": _END,
}


def _step(kind: str, fields: Mapping[str, Any], *required: str) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": {"name": _STEP_NAME, "kind": {"const": kind}, **fields, **_CATCH},
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
    "parallel": _step(
        "parallel",
        {
            "branches": {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_BRANCHES,
                "items": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": MAX_STEP_COUNT,
                    "items": {"$ref": "#/$defs/step"},
                },
            },
            **_NEXT,
        },
        "branches",
    ),
}
#: The kinds that the engine itself knows; what is declared must be called otherwise.
OWN_KINDS = frozenset(_STEPS)
_OWN_DOCS = (
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
    {
        "kind": "parallel",
        "doc": "Runs lists of steps beside one another; its result has the output of each.",
        "output": "result",
    },
)


def _schema(kinds: Sequence[StepKind]) -> Mapping[str, Any]:
    """Returns the format with these kinds; an unknown field is refused everywhere."""
    declared = {
        kind.name: _step(kind.name, {**kind.fields, "retry": _RETRY, **_NEXT}, *kind.required)
        for kind in kinds
    }
    steps = {**_STEPS, **declared}
    return {
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
            "max_steps": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_STEPS,
                "default": DEFAULT_MAX_STEPS,
            },
            "steps": {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_STEP_COUNT,
                "items": {"$ref": "#/$defs/step"},
            },
        },
        "required": ["slug", "start", "steps"],
        "additionalProperties": False,
        "$defs": {
            **_DEFINITIONS,
            "step": {"anyOf": [{"$ref": f"#/$defs/{kind}_step"} for kind in steps]},
            **{f"{kind}_step": step for kind, step in steps.items()},
        },
    }


class Format:
    """The format of a spec with the kinds of steps that are declared."""

    def __init__(self, kinds: Sequence[StepKind]) -> None:
        self.kinds: Mapping[str, StepKind] = {kind.name: kind for kind in kinds}
        self.schema = _schema(kinds)
        self.shapes = Shapes(self.schema)
        docs = [{"kind": kind.name, "doc": kind.doc, "output": "result"} for kind in kinds]
        #: What `GET /api/workflows/schema` answers.
        self.description: Mapping[str, Any] = {
            "version": FORMAT_VERSION,
            "schema": self.schema,
            "step_kinds": [*_OWN_DOCS, *docs],
            **_DESCRIBED,
        }


#: What an editor needs beside the schema and the kinds of steps.
_DESCRIBED: Mapping[str, Any] = {
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
        "branches": MAX_BRANCHES,
        "inputs": MAX_INPUTS,
        "input_characters": MAX_INPUT_CHARACTERS,
        "nodes": MAX_NODES,
        "characters": MAX_CHARACTERS,
        "depth": MAX_DEPTH,
        "reference": MAX_REFERENCE,
    },
}
