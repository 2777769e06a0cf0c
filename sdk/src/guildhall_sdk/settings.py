"""Settings, which an operator decides, how the text of each is parsed, and preferences of teams.

A parser is a plain function: it takes the text and returns the value, or raises `ValueError` with words that
follow the name of the setting, such as "takes a whole number from 1 to 100". Write your own where none fits.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar
from urllib.parse import urlsplit

from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.principal import Principal
from guildhall_sdk.schema import Schema

Value = TypeVar("Value")

_MAX_NUMBER = 10**9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Setting(Generic[Value]):
    """A setting, read from `SERVICE_<PLUGIN>_<NAME>` at the boot; `host.setting(…)` returns its value."""

    #: Small letters, digits and `_`: `page_size` of `book-shelf` is `SERVICE_BOOK_SHELF_PAGE_SIZE`.
    name: str
    #: One line for the operator, as `guildhall serve --help` prints it.
    help: str
    #: What holds where the variable is not set. It is neither parsed nor checked.
    default: Value
    parse: Callable[[str], Value]
    #: Why a value that was parsed is refused all the same, in words that follow the setting's name, or None.
    check: Callable[[Value], str | None] | None = None
    #: Never printed: `guildhall doctor` says only that it is set.
    secret: bool = False
    #: Another name than the plugin's own prefix gives; for plugins that ship with the server.
    variable: str | None = None


def text(given: str) -> str:
    """Parses any text that is not blank."""
    if not given.strip():
        raise ValueError("is empty; unset it or give it a value")
    return given


def boolean(given: str) -> bool:
    """Parses 1/0, true/false, on/off or yes/no, in small letters or capitals."""
    word = given.strip().lower()
    if word in {"1", "true", "on", "yes"}:
        return True
    if word in {"0", "false", "off", "no"}:
        return False
    raise ValueError("takes 1/0, true/false, on/off or yes/no")


def whole(low: int = 0, high: int = _MAX_NUMBER, what: str | None = None) -> Callable[[str], int]:
    """Returns a parser of whole numbers within these bounds; `what` names them in the refusal."""
    bounds = f"a whole number, {low} or more" if high == _MAX_NUMBER else f"a whole number, {low} to {high}"

    def parse(given: str) -> int:
        if not re.fullmatch(r"[0-9]{1,10}", given.strip()) or not low <= int(given) <= high:
            raise ValueError(f"takes {what or bounds}")
        return int(given)

    return parse


seconds = whole(1, what="a number of seconds, 1 or more")


def one_of(*words: str) -> Callable[[str], str]:
    """Returns a parser that takes one of these words."""

    def parse(given: str) -> str:
        if given not in words:
            raise ValueError(f"takes one of {', '.join(words)}")
        return given

    return parse


def address(given: str) -> str:
    """Parses the address of a listener: `host:port`."""
    host, _, port = given.rpartition(":")
    if not host or not re.fullmatch(r"[0-9]{1,5}", port) or int(port) > 65535:
        raise ValueError("takes host:port, such as 127.0.0.1:8080")
    return given


def web_url(given: str) -> str:
    """Parses an http or https address, without a slash at its end."""
    parts = urlsplit(given)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("takes an http:// or https:// address")
    return given.rstrip("/")


def path(given: str) -> Path:
    """Parses the path of a file or a folder; whether it exists is not checked."""
    return Path(text(given))


def json_value(given: str) -> Any:
    """Parses any JSON; its shape is not checked."""
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        raise ValueError("takes JSON") from None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Preference(Generic[Value]):
    """A value that each team has, or each company; the service `Preferences` reads and writes it."""

    #: Small letters, digits and `_`, once in a plugin.
    name: str
    #: One line that says what it is for.
    help: str
    schema: Schema
    #: What holds until somebody writes another; JSON that fits the schema.
    default: Value
    #: The permission to write it.
    write_permission: str
    #: The permission to read it; None lets everybody of the team or the company.
    read_permission: str | None = None
    holder: Literal["team", "company"] = "team"
    #: What the console calls it: words, or a key of the plugin's catalog. One with a title has a form there.
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPreference(Generic[Value]):
    """A value and its last change; the version is 0 where there was none."""

    value: Value
    version: int = 0
    updated_at: int | None = None
    updated_by: str | None = None

    @property
    def etag(self) -> str:
        """The entity tag of this version."""
        return f'"{self.version}"'


class Preferences(Protocol):
    """Values by their declared `Preference`; any other raises `LookupError`.

    `team` and `company` are for a plugin's own work and ask nobody's permission. `read`, `write` and
    `reset` act for a caller, on their own team or company, and raise `PermissionDenied`.
    """

    async def team(self, reader: Reader, team_id: str, preference: Preference[Value]) -> Value:
        """Returns the value of a team, or the default."""

    async def company(self, reader: Reader, org_id: str, preference: Preference[Value]) -> Value:
        """Returns the value of a company, or the default."""

    async def read(
        self, reader: Reader, principal: Principal, preference: Preference[Value]
    ) -> StoredPreference[Value]:
        """Returns the value of the caller's own team or company, or the default, with its version."""

    async def write(
        self,
        writer: Writer,
        principal: Principal,
        preference: Preference[Value],
        value: Value,
        *,
        version: int | None = None,
    ) -> StoredPreference[Value]:
        """Checks the value against the schema, stores it and records that in the audit trail, not the value.

        With `version` it raises `PreconditionFailed` unless that is still the version; without, the last
        write wins. Raises `InvalidRequest`, and `TooLarge` beyond 64 KiB of JSON.
        """

    async def reset(
        self,
        writer: Writer,
        principal: Principal,
        preference: Preference[Value],
        *,
        version: int | None = None,
    ) -> StoredPreference[Value]:
        """Puts the value back to the default, as a change like any other."""
