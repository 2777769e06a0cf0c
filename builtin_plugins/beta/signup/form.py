"""What a visitor filled in, checked against the fields of the published experience, and e-mail addresses."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from builtin_plugins.beta.experiences.document import Field
from guildhall_sdk import InvalidRequest, Setting
from guildhall_sdk.errors import json_pointer
from guildhall_sdk.settings import path
from libs.names import folded, username_key

MAX_EMAIL = 254
_MAX_LOCAL = 64
# What stands before the @, unquoted: letters of any script, digits and the signs of RFC 5322.
_LOCAL = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})


def email_key(email: str) -> str | None:
    """Returns what addresses are compared by, or None for what is no address.

    The domain is its ASCII form, the rest is compared without case: `Ann@EXAMPLE.com` is `ann@example.com`.
    """
    if len(email) > MAX_EMAIL or any(unicodedata.category(char) in _UNSEEN for char in email):
        return None
    local, _, domain = email.rpartition("@")
    folded, name = username_key(local), _ascii_domain(domain)
    if not 0 < len(folded) <= _MAX_LOCAL or _LOCAL.fullmatch(folded) is None or name is None:
        return None
    return f"{folded}@{name}"


def _ascii_domain(domain: str) -> str | None:
    """Returns the name in the form that DNS knows; None for an address and for a name without a dot."""
    import idna

    try:
        name = idna.encode(domain, uts46=True).decode().lower().removesuffix(".")
    except (idna.IDNAError, UnicodeError):
        return None
    last = name.rpartition(".")[2]
    return name if "." in name and not last.isdigit() else None


def is_disposable(key: str, domains: frozenset[str]) -> bool:
    """Tells whether a key's domain, or one above it, is of those that give out addresses to throw away."""
    labels = key.rpartition("@")[2].split(".")
    return any(".".join(labels[start:]) in domains for start in range(len(labels) - 1))


@cache
def shipped_domains() -> frozenset[str]:
    """Returns the shipped list of domains that give out addresses to throw away."""
    return read_domains(Path(__file__).with_name("disposable_domains.txt").read_text("utf-8"))


def read_domains(text: str) -> frozenset[str]:
    """Reads a list: one domain a line, in any spelling; `#` begins a remark. Raises `ValueError`."""
    domains = set()
    for number, line in enumerate(text.splitlines(), 1):
        name = line.partition("#")[0].strip()
        if not name:
            continue
        domain = _ascii_domain(name)
        if domain is None:
            raise ValueError(f"line {number} is no domain")
        domains.add(domain)
    return frozenset(domains)


_MAX_FILE = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class DomainFile:
    """A list of domains in a file of the operator, or the shipped one where `path` is empty."""

    path: str
    domains: frozenset[str]

    def __str__(self) -> str:
        return self.path


def domain_file(given: str) -> DomainFile:
    """Reads the file; raises `ValueError` with one line that says what is wrong and where."""
    try:
        with path(given).open("rb") as opened:
            content = opened.read(_MAX_FILE + 1)
    except OSError as error:
        raise ValueError(f"names {given}, which cannot be read: {error.strerror}") from None
    if len(content) > _MAX_FILE:
        raise ValueError(f"names {given}, which has more than {_MAX_FILE // 1024 // 1024} MiB")
    try:
        return DomainFile(given, read_domains(content.decode()))
    except UnicodeDecodeError:
        raise ValueError(f"names {given}, which is not UTF-8 text") from None
    except ValueError as error:
        raise ValueError(f"names {given}, of which {error}") from None


DISPOSABLE_DOMAINS: Setting[DomainFile] = Setting(
    name="disposable_domains",
    help="path of a file, one domain a line: whose e-mail addresses are taken for ones to throw away",
    default=DomainFile("", shipped_domains()),
    parse=domain_file,
)
SETTINGS: Sequence[Setting[Any]] = (DISPOSABLE_DOMAINS,)


_MAX_ERRORS = 50
_LINES = frozenset("\n\t")

Value = str | bool


class Filled(NamedTuple):
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
