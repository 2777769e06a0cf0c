"""What a body says about a person, judged field by field."""

from collections.abc import Mapping
from typing import Any

from guildhall_sdk import InvalidRequest
from libs.names import locale_fault, name_fault, username_fault

_RULES = {
    "username": username_fault,
    "display_name": name_fault,
    "locale": locale_fault,
    "org": name_fault,
    "team": name_fault,
    "name": name_fault,
}


def check_names(body: Mapping[str, Any], *fields: str) -> None:
    """Raises `InvalidRequest` at the first of the fields that is there and malformed."""
    for field in fields:
        fault = _RULES[field](body[field]) if field in body else None
        if fault is not None:
            raise InvalidRequest.at(f"/{field}", fault)
