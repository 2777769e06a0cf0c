"""The arguments of a tool call as a model wrote them, held to what any other JSON of a caller is held to."""

import json
from collections.abc import Iterator
from math import isinf
from typing import Any, NoReturn

from guildhall_sdk import InvalidJson, InvalidRequest

MAX_ARGUMENT_BYTES = 256 * 1024
MAX_DEPTH = 64
_INT64 = range(-(2**63), 2**63)


def parse_arguments(text: str) -> dict[str, Any]:
    """Reads an object; nothing at all is an empty one. Raises `InvalidJson` or `InvalidRequest`."""
    if len(text.encode("utf-8", "replace")) > MAX_ARGUMENT_BYTES:
        raise InvalidRequest(f"The arguments have more than {MAX_ARGUMENT_BYTES // 1024} KiB; send less.")
    if not text.strip():
        return {}
    try:
        value = _DECODER.decode(text.strip())
    except (ValueError, RecursionError) as fault:
        raise InvalidJson(f"The arguments are not JSON: {fault}") from None
    if not isinstance(value, dict):
        raise InvalidRequest("The arguments must be a JSON object.")
    if any(map(_is_unfit, _texts_of(value))):
        raise InvalidJson("The arguments hold U+0000 or half of a surrogate pair.")
    return value


def _texts_of(value: Any) -> Iterator[str]:
    """Every text in a value, the names of fields too; level by level, because recursion has an end."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for node in level:
            if isinstance(node, str):
                yield node
            elif isinstance(node, dict):
                yield from node
                below += node.values()
            elif isinstance(node, list):
                below += node
        level = below
    if level:
        raise InvalidJson(f"The arguments are nested deeper than {MAX_DEPTH}.")


def _is_unfit(text: str) -> bool:
    if "\0" in text:
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _int64(literal: str) -> int:
    if len(literal) > 20 or (number := int(literal)) not in _INT64:
        raise ValueError("an integer is outside 64 bits")
    return number


def _finite(literal: str) -> float:
    if isinf(number := float(literal)):
        raise ValueError("a number is too large")
    return number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no value")


_DECODER = json.JSONDecoder(parse_int=_int64, parse_float=_finite, parse_constant=_refuse)
