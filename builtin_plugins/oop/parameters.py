"""Members of what a plugin sends: of the right type, or refused by name."""

from collections.abc import Mapping
from typing import Any

from guildhall_sdk import InvalidRequest


def text(params: Mapping[str, Any], name: str, longest: int = 1_024, *, default: str | None = None) -> str:
    """Raises `InvalidRequest`; without a default it must be there, and not be empty."""
    value = params.get(name, default)
    if not isinstance(value, str) or len(value) > longest or (default is None and not value):
        raise InvalidRequest.at(f"/{name}", f"must be a text of at most {longest} characters")
    return value


def integer(params: Mapping[str, Any], name: str, low: int, high: int, *, default: int) -> int:
    """Raises `InvalidRequest`."""
    value = params.get(name, default)
    if type(value) is not int or not low <= value <= high:
        raise InvalidRequest.at(f"/{name}", f"must be a whole number from {low} to {high}")
    return value
