"""The file of MCP servers, in the usual `mcpServers` form: which there are and how each is reached."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

from libs.redaction import REDACTED, is_secret_name, redact

DEFAULT_SECONDS = 60.0
MAX_SECONDS = 3600.0
MAX_SERVERS = 64
MAX_FILE_BYTES = 1024 * 1024
#: Where commands are looked for when the entry names no PATH; ours says nothing about theirs.
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,62}[A-Za-z0-9])?")
_VARIABLE = re.compile(r"[^=\0]{1,256}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]{0,8192}")
_HTTP_TYPES = frozenset({"http", "streamable-http", "streamable_http", "streamableHttp"})
_MIN_SECRET = 6


class _Fault(Exception):
    """What is wrong with an entry, in words that follow its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(ABC):
    """One server of the file. Its text shows nothing that could be a secret."""

    name: str
    timeout: float = DEFAULT_SECONDS
    tool_timeouts: Mapping[str, float] = field(default_factory=dict)

    @property
    @abstractmethod
    def transport(self) -> Literal["stdio", "http"]:
        """How the server is talked to."""

    @property
    @abstractmethod
    def secrets(self) -> Sequence[str]:
        """Texts of the entry that nobody may read, the longest first."""

    def seconds_of(self, tool: str) -> float:
        return self.tool_timeouts.get(tool, self.timeout)

    @property
    def private(self) -> Sequence[str]:
        """Texts of the entry that are in no log and no complaint: each may be a secret, whatever its name."""
        return self.secrets

    def hide_secrets(self, text: str) -> str:
        """Takes out what the entry alone should know, and what else looks like a secret."""
        return redact(_without(self.private, text))

    def hide_own(self, text: str) -> str:
        return _without(self.secrets, text)


@dataclass(frozen=True, slots=True, kw_only=True)
class StdioEntry(Entry):
    """A child process that speaks over its standard input and output."""

    command: str
    args: Sequence[str] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str

    @property
    def transport(self) -> Literal["stdio", "http"]:
        return "stdio"

    @property
    def environment(self) -> Mapping[str, str]:
        """All of what the child gets: nothing of it comes from ours."""
        return {"PATH": DEFAULT_PATH, **self.env}

    @property
    def secrets(self) -> Sequence[str]:
        named = [*self.env.items(), *zip(self.args, self.args[1:], strict=False)]
        named += [(one.partition("=")[0], one.partition("=")[2]) for one in self.args]
        passwords = (_password_in(value) for value in self.env.values())
        return _longest_first([*(value for name, value in named if is_secret_name(name)), *passwords])

    @property
    def private(self) -> Sequence[str]:
        return _longest_first([*self.secrets, *self.env.values()])


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpEntry(Entry):
    """A server somewhere else, by streamable HTTP."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def transport(self) -> Literal["stdio", "http"]:
        return "http"

    @property
    def secrets(self) -> Sequence[str]:
        query = urlsplit(self.url).query
        values = [*self.headers.values(), query, *(value for _, value in parse_qsl(query))]
        return _longest_first([*values, *(value.split(" ", 1)[-1] for value in values)])


def _without(secrets: Sequence[str], text: str) -> str:
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    return text


def _password_in(value: str) -> str:
    """Returns the password in an address such as a database has."""
    try:
        return urlsplit(value).password or ""
    except ValueError:
        return ""


def _longest_first(values: Any) -> Sequence[str]:
    return sorted({value for value in values if len(value) >= _MIN_SECRET}, key=len, reverse=True)


def read_entries(path: Path) -> Sequence[Entry]:
    """Returns the entries in the order of the file; raises `ValueError` with what is wrong and where."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ValueError(f"the file {path} has more than {MAX_FILE_BYTES // 1024} KiB")
        found = json.loads(path.read_text("utf-8"), object_pairs_hook=_without_repeats)
    except OSError as error:
        raise ValueError(f"the file {path} cannot be read: {error.strerror}") from None
    except _Fault as fault:
        raise ValueError(f"the file {path} {fault}") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ValueError(f"the file {path} is not JSON") from None
    servers = found.get("mcpServers") if isinstance(found, dict) else None
    if not isinstance(servers, dict):
        raise ValueError(f'the file {path} takes {{"mcpServers": {{"<name>": {{…}}}}}}')
    if len(servers) > MAX_SERVERS:
        raise ValueError(f"the file {path} names more than {MAX_SERVERS} servers")
    entries = []
    for name, given in servers.items():
        try:
            if not isinstance(given, dict) or given.get("disabled") is not True:
                entries.append(_entry(name, given, path.absolute().parent))
        except _Fault as fault:
            raise ValueError(f"the file {path}: the server {name[:80]!r} {fault}") from None
    return tuple(entries)


def _without_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Fault(f"has {next(name for name in names if names.count(name) > 1)[:80]!r} twice in one place")
    return found


def _entry(name: str, given: Any, folder: Path) -> Entry:
    if not _NAME.fullmatch(name):
        raise _Fault("needs a name of 1 to 64 letters and digits, with spaces and . _ - between them")
    if not isinstance(given, dict):
        raise _Fault("is not an object")
    limits: dict[str, Any] = {
        "name": name,
        "timeout": _seconds(given.get("timeout", DEFAULT_SECONDS), "timeout"),
        "tool_timeouts": {
            tool: _seconds(value, f"toolTimeouts of {tool[:80]!r}")
            for tool, value in _mapping(given, "toolTimeouts").items()
        },
    }
    kind = given.get("type")
    if kind == "sse":
        raise _Fault('has the type "sse", which is gone from MCP; give the address of its streamable HTTP')
    if kind is not None and kind != "stdio" and kind not in _HTTP_TYPES:
        raise _Fault('has an unknown type; there are "stdio" and "http"')
    has_command = "command" in given
    if has_command == ("url" in given) or (kind is not None and (kind == "stdio") != has_command):
        raise _Fault("needs either a command (stdio) or a url (http)")
    if has_command:
        return _stdio_entry(given, limits, folder)
    return _http_entry(given, limits)


def _stdio_entry(given: Mapping[str, Any], limits: Mapping[str, Any], folder: Path) -> StdioEntry:
    args = given.get("args", [])
    if not isinstance(args, list) or not all(_is_plain(one) for one in args):
        raise _Fault("has args that are not a list of texts")
    if not _is_plain(given["command"]) or not given["command"].strip():
        raise _Fault("has a command that is not a text")
    env = _texts(given, "env", _VARIABLE.fullmatch, _is_plain)
    cwd = given.get("cwd", ".")
    if not _is_plain(cwd) or not (folder / cwd).is_dir():
        raise _Fault("has a cwd that is not a folder")
    return StdioEntry(**limits, command=given["command"], args=tuple(args), env=env, cwd=str(folder / cwd))


def _http_entry(given: Mapping[str, Any], limits: Mapping[str, Any]) -> HttpEntry:
    url = given["url"]
    try:
        parts = urlsplit(url) if _is_plain(url) else None
        fits = parts is not None and parts.scheme in {"http", "https"} and bool(parts.hostname)
        fits = fits and (parts is None or parts.port is None or parts.port > 0)
    except ValueError:
        fits, parts = False, None
    if not fits or parts is None or not url.isprintable() or " " in url:
        raise _Fault("has a url that is no http:// or https:// address")
    if parts.username is not None or parts.password is not None:
        raise _Fault("has a url with a name or password in it; put them into headers")
    headers = _texts(given, "headers", _HEADER_NAME.fullmatch, _HEADER_VALUE.fullmatch)
    return HttpEntry(**limits, url=url, headers=headers)


def _texts(
    given: Mapping[str, Any], place: str, fits_name: Callable[[str], Any], fits_value: Callable[[str], Any]
) -> Mapping[str, str]:
    """Reads texts by name; a refusal repeats names alone: a value may be a secret."""
    found = _mapping(given, place)
    for name, value in found.items():
        if not _is_plain(name) or not fits_name(name) or not isinstance(value, str) or not fits_value(value):
            raise _Fault(f"has {name[:80]!r} in its {place}: name and value must be texts that can be sent")
    return found


def _mapping(given: Mapping[str, Any], place: str) -> dict[str, Any]:
    found = given.get(place, {})
    if not isinstance(found, dict):
        raise _Fault(f"has something else than an object as its {place}")
    return found


def _seconds(value: Any, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MAX_SECONDS:
        raise _Fault(f"has a {place} that is no number of seconds up to {MAX_SECONDS:.0f}")
    return float(value)


def _is_plain(value: Any) -> bool:
    """Returns whether a system call takes the text: it has no half of a surrogate pair and no NUL."""
    if not isinstance(value, str) or "\0" in value:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)
