"""What a visitor filled in, checked against the fields of the published experience."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from builtin_plugins.beta.experiences.document import Field
from builtin_plugins.beta.signup.emails import email_key
from guildhall_sdk import InvalidRequest
from guildhall_sdk.errors import json_pointer
from libs.names import folded

_MAX_ERRORS = 50
_LINES = frozenset("\n\t")

Value = str | bool


@dataclass(frozen=True, slots=True)
class Filled:
    """The answers by field, tidied, and the key of the e-mail address among them, if there is one."""

    fields: Mapping[str, Value]
    email_key: str | None

    @property
    def words(self) -> str:
        """All that was written, as searches compare it."""
        return folded("\n".join(value for value in self.fields.values() if isinstance(value, str)))


def check_fields(form: Sequence[Field], given: Mapping[str, Any]) -> Filled:
    """Checks the answers; raises `InvalidRequest` that names every field that is not as it should be."""
    known = {field.name for field in form}
    filled: dict[str, Value] = {}
    errors = [
        {"pointer": json_pointer("fields", name), "message": "is not a field of this form"}
        for name in islice((name for name in given if name not in known), _MAX_ERRORS)
    ]
    key: str | None = None
    for field in form:
        name = field.name
        value = _tidied(given.get(name))
        fault = _fault(field, value)
        if fault is not None:
            errors.append({"pointer": f"/fields/{name}", "message": fault})
        elif value is not None and value != "":
            filled[name] = value
            if field.type == "email" and key is None:
                key = email_key(str(value))
    if errors:
        raise InvalidRequest(
            "Some fields are not as they should be: "
            + "; ".join(f"{error['pointer']} {error['message']}" for error in errors[:5]),
            errors=errors,
        )
    return Filled(filled, key)


def _tidied(value: Any) -> Any:
    return value.strip().replace("\r\n", "\n") if isinstance(value, str) else value


def _fault(field: Field, value: Any) -> str | None:
    """Returns the first thing that is wrong with an answer, or None."""
    return next(_faults(field, value), None)


def _faults(field: Field, value: Any) -> Iterator[str]:
    if field.type == "checkbox":
        if value is not None and not isinstance(value, bool):
            yield "must be true or false"
        elif field.required and value is not True:
            yield "must be ticked"
        return
    if value is not None and not isinstance(value, str):
        yield "must be a text"
    elif not value:
        if field.required:
            yield "must be filled in"
    else:
        yield from _text_faults(field, value)


def _text_faults(field: Field, text: str) -> Iterator[str]:
    if field.max_length and len(text) > field.max_length:
        yield f"takes at most {field.max_length} characters"
    allowed = _LINES if field.type == "textarea" else frozenset()
    if any(unicodedata.category(char) == "Cc" and char not in allowed for char in text):
        yield "must not hold control characters"
    if field.type == "email" and email_key(text) is None:
        yield "must be an e-mail address, such as ann@example.com"
    if field.type == "url" and not _is_web_address(text):
        yield "must be a web address that begins with https:// or http://"
    if field.type == "select" and text not in field.options:
        yield "must be one of the options"


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(host) and not any(char.isspace() for char in text)
