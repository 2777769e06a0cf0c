"""What a run is given, held against the inputs that its workflow declares."""

from collections.abc import Callable, Mapping
from typing import Any

from builtin_plugins.workflows.spec.model import Spec
from guildhall_sdk import InvalidRequest
from guildhall_sdk.errors import json_pointer

_MAX_ERRORS = 20
#: What each type takes; nothing is coerced, and 3.0 is no integer.
TYPES: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
}
_WORDS = {
    "string": "text in quotes",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
}


def judge_inputs(spec: Spec, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the input of a run with defaults filled in; an optional input without one is left out.

    Raises `InvalidRequest` with every problem by JSON pointer below `/input`.
    """
    problems: list[tuple[str, str]] = []
    taken: dict[str, Any] = {}
    for one in spec.inputs:
        if one.name in given:
            taken[one.name] = given[one.name]
            if not TYPES[one.type](given[one.name]):
                problems.append((one.name, _expectation_of(one.type, given[one.name])))
        elif one.required:
            problems.append((one.name, "is required"))
        elif one.default is not None:
            taken[one.name] = one.default
    undeclared = sorted(given.keys() - {one.name for one in spec.inputs})
    problems += [(name, "is no input of this workflow; remove it") for name in undeclared[:_MAX_ERRORS]]
    if problems:
        raise _refusal(problems)
    return taken


def expectation(input_type: str) -> str:
    """Says what a value of an input's type must be."""
    return f"must be {_WORDS[input_type]}"


def _expectation_of(input_type: str, value: Any) -> str:
    """Says what a value must be; where text was wanted, also what stands there that quotes do not mend."""
    given = "an object" if isinstance(value, dict) else "a list" if isinstance(value, list) else None
    return f"must be text, not {given}" if input_type == "string" and given else expectation(input_type)


def _refusal(problems: list[tuple[str, str]]) -> InvalidRequest:
    errors = [
        {"pointer": json_pointer("input", name), "message": message}
        for name, message in problems[:_MAX_ERRORS]
    ]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return InvalidRequest(f"{errors[0]['pointer']}: {errors[0]['message']}{more}", errors=errors)
