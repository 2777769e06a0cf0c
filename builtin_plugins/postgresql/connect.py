"""One connection to PostgreSQL: which host it leads to, and how either end notices that the other is gone."""

import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import asyncpg

CONNECT_SECONDS = 30.0
# A machine that lost its power says no goodbye: each end notices within some seconds all the same. The last
# one ends a connection whose other end takes nothing off its socket.
_IDLE_SECONDS, _INTERVAL_SECONDS, _PROBES, _UNREAD_MS = 5, 2, 3, 10_000
_KEEPALIVES = {
    "tcp_keepalives_idle": str(_IDLE_SECONDS),
    "tcp_keepalives_interval": str(_INTERVAL_SECONDS),
    "tcp_keepalives_count": str(_PROBES),
    "tcp_user_timeout": str(_UNREAD_MS),
}
_SOCKET_OPTIONS = {
    "TCP_KEEPIDLE": _IDLE_SECONDS,
    "TCP_KEEPINTVL": _INTERVAL_SECONDS,
    "TCP_KEEPCNT": _PROBES,
    "TCP_USER_TIMEOUT": _UNREAD_MS,
}
_FILES = ("sslrootcert", "sslcert", "sslkey", "sslcrl")
# By default our transactions only read, so that the driver would take every server for a standby.
_WANTED = ("any", "primary", "read-write", "standby", "read-only", "prefer-standby")
_NONE_IS = {
    "primary": "it takes no writes: it is a standby, or it is still recovering",
    "standby": "no host is a standby",
}
_SAME_FOR_US = {"read-write": "primary", "read-only": "standby"}
# The host of each address that was reached last: one that is down is not waited for again and again.
_last_reached: dict[str, str] = {}


async def connect(
    url: str,
    *,
    wants: str = "primary",
    timeout: float = CONNECT_SECONDS,
    server_settings: Mapping[str, str] | None = None,
    pooled: bool = False,
    **options: Any,
) -> "asyncpg.Connection[Any]":
    """Opens a connection to the first of the hosts in the URL that answers and is what is wanted.

    That is said by `target_session_attrs` in the URL, or else by `wants`. One host that does not answer takes
    no more than its part of the time. A pooler takes no setting of a session, and tells nothing of its only
    database.
    """
    _check_files(url)
    addresses = single_hosts(url)
    wanted = wanted_of(url, "any" if pooled and len(addresses) == 1 else wants)
    settings = {**({} if pooled else _KEEPALIVES), **(server_settings or {})}
    addresses.sort(key=lambda address: address != _last_reached.get(url))
    attempts = [(address, wanted) for address in addresses]
    if wanted == "prefer-standby":
        attempts = [(one, "standby") for one in addresses] + [(one, "any") for one in addresses]
    for number, (address, attribute) in enumerate(attempts, 1):
        arguments: dict[str, Any] = {
            **options,
            "timeout": timeout / len(attempts),
            "server_settings": settings,
            "target_session_attrs": attribute,
        }
        try:
            opened: asyncpg.Connection[Any] = await asyncpg.connect(address, **arguments)
        except (OSError, asyncpg.CannotConnectNowError):
            if number == len(attempts):
                raise
        except asyncpg.TargetServerAttributeNotMatched:
            if number == len(attempts):
                raise asyncpg.TargetServerAttributeNotMatched(_NONE_IS[attribute]) from None
        else:
            _last_reached[url] = address
            _keep_alive(opened)
            return opened
    raise AssertionError("a URL has a host")


def _check_files(url: str) -> None:
    """Raises `ValueError` for a file of the URL that is not there: the driver would not say which."""
    for name, value in parse_qsl(urlsplit(url).query):
        if name in _FILES and not Path(value).is_file():
            raise ValueError(f"{name}: there is no file {value}")


def wanted_of(url: str, default: str) -> str:
    """Returns which kind of server the URL asks for."""
    said = dict(parse_qsl(urlsplit(url).query)).get("target_session_attrs")
    if said is None:
        return default
    if said not in _WANTED:
        raise ValueError(f"target_session_attrs: takes {', '.join(_WANTED)}")
    return _SAME_FOR_US.get(said, said)


def single_hosts(url: str) -> list[str]:
    """Returns one URL for each host: of `host1:5432,host2:5433`, or of `?host=a,b&port=1,2`."""
    parts = urlsplit(url)
    auth, at, places = parts.netloc.rpartition("@")
    if "," in places:
        return [parts._replace(netloc=f"{auth}{at}{place}").geturl() for place in places.split(",")]
    query = dict(parse_qsl(parts.query))
    hosts, ports = query.get("host", "").split(","), query.get("port", "").split(",")
    if places or len(hosts) == 1:
        return [url]
    if len(ports) not in (1, len(hosts)):
        raise ValueError("port: takes one number, or as many as there are hosts")
    pairs = zip(hosts, ports * len(hosts) if len(ports) == 1 else ports, strict=True)
    return [_with_place(url, query, host, port) for host, port in pairs]


def described_hosts(url: str) -> str:
    """Returns the hosts of the URL in words, without its password."""
    named = []
    for one in single_hosts(url):
        parts = urlsplit(one)
        # Without the port, in whose place a malformed URL may have a part of its password.
        named.append(parts.hostname or dict(parse_qsl(parts.query)).get("host", "localhost"))
    return " or ".join(named)


def _with_place(url: str, query: Mapping[str, str], host: str, port: str) -> str:
    chosen = {**query, "host": host, **({"port": port} if port else {})}
    return urlsplit(url)._replace(query=urlencode(chosen, quote_via=quote, safe="/")).geturl()


def _keep_alive(connection: Any) -> None:
    """Has the system ask now and then whether the server is there; on a unix socket that is known."""
    # Private, but there is no other way to the socket.
    own = connection._transport.get_extra_info("socket")
    if own is None or own.family not in (socket.AF_INET, socket.AF_INET6):
        return
    with suppress(OSError):
        own.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _SOCKET_OPTIONS.items():
            if hasattr(socket, name):
                own.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
