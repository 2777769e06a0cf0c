"""Where a program may be answered, at addresses that it registered exactly; and how it is refused."""

import ipaddress
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from guildhall_sdk import Problem, UserError

MAX_CHARACTERS = 500
MAX_ADDRESSES = 10
_PRINTABLE = re.compile(r"[!-~]{1,500}")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{1,60}")
# They run something, read files, or open programs of the system with what stands behind them.
_NEVER = {
    "about",
    "blob",
    "chrome",
    "data",
    "file",
    "filesystem",
    "ftp",
    "ftps",
    "https",
    "intent",
    "jar",
    "javascript",
    "mailto",
    "resource",
    "search-ms",
    "shell",
    "sms",
    "smb",
    "ssh",
    "tel",
    "telnet",
    "vbscript",
    "view-source",
    "ws",
    "wss",
}
# Of refusals that the server itself makes, by their status.
_BY_STATUS = {429: "temporarily_unavailable", 500: "server_error", 503: "temporarily_unavailable"}


class OAuthRefused(UserError, code="oauth_refused", title="The app's request does not hold"):
    """Raised with one of OAuth's own words for what is wrong."""

    def __init__(self, error: str, detail: str) -> None:
        super().__init__(detail)
        self.error = error


def refusal(problem: Problem) -> Mapping[str, Any]:
    """Returns the members that clients of OAuth look for in a refusal."""
    error = problem.error if isinstance(problem, OAuthRefused) else None
    error = error or _BY_STATUS.get(problem.status, "invalid_request")
    return {"error": error, "error_description": problem.detail}


def check_registered(uri: str) -> None:
    """Raises for an address that no program may be answered at: `invalid_redirect_uri`."""
    parts = _parsed(uri)
    if parts is None:
        raise _refused(f"takes an address of at most {MAX_CHARACTERS} ASCII characters, without spaces")
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme == "http":
        if not is_own_machine(parts):
            raise _refused("takes https, or http on the program's own machine (127.0.0.1, [::1], localhost)")
        return
    if not _SCHEME.fullmatch(parts.scheme) or parts.scheme in _NEVER or parts.scheme.startswith("ms-"):
        raise _refused("takes https, http on the program's own machine, or a scheme of the program's own")


def _refused(what: str) -> OAuthRefused:
    return OAuthRefused("invalid_redirect_uri", f"redirect_uris {what}, and no fragment.")


def _parsed(uri: str) -> SplitResult | None:
    if not _PRINTABLE.fullmatch(uri) or "\\" in uri or "#" in uri:
        return None
    try:
        parts = urlsplit(uri)
        _ = parts.port
    except ValueError:
        return None
    return None if parts.username is not None or parts.password is not None else parts


def is_own_machine(parts: SplitResult) -> bool:
    return parts.hostname == "localhost" or _is_loopback(parts.hostname)


def _is_loopback(host: str | None) -> bool:
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


def matches(registered: Sequence[str], uri: str) -> bool:
    """Tells whether an address was registered: exactly, but for the port of a loopback address."""
    if uri in registered:
        return True
    parts = _parsed(uri)
    if parts is None or parts.scheme != "http" or not _is_loopback(parts.hostname):
        return False
    return any(_without_port(one) == _without_port(uri) for one in registered if one.startswith("http://"))


def _without_port(uri: str) -> tuple[str | None, str, str]:
    """Returns what is left of an http address beside its port, which a program takes as it is free."""
    parts = urlsplit(uri)
    return parts.hostname, parts.path, parts.query


def answer_at(uri: str, answer: Mapping[str, str | None]) -> str:
    """Returns the address with an answer behind it; what its query had stays."""
    parts = urlsplit(uri)
    given = [(name, value) for name, value in answer.items() if value is not None]
    query = urlencode([*parse_qsl(parts.query, keep_blank_values=True), *given])
    return urlunsplit(parts._replace(query=query))


def place_of(uri: str) -> str | None:
    """Returns the host that is told the answer, or None for a program on the person's own machine."""
    parts = urlsplit(uri)
    if parts.scheme != "https":
        return None
    return parts.netloc
