"""What is set up for a directory, read and checked."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from guildhall_sdk import Host, InvalidRequest
from guildhall_sdk.services.outbound import OutboundHttp
from libs.outbound_http import EndpointRefused, SystemResolver, public_addresses

DEFAULT_FILTER = (
    "(|(uid={username})(sAMAccountName={username})(userPrincipalName={username})(mail={username}))"
)
NAME = "{username}"
_PORTS = {"ldap": 389, "ldaps": 636}
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|[0-9A-Fa-f:.]{2,45}")


class Server(NamedTuple):
    """Where a directory is, and the addresses that its name has now."""

    host: str
    port: int
    is_tls: bool
    addresses: Sequence[str] = ()

    @property
    def is_here(self) -> bool:
        """Whether the server is on this machine, where nobody listens on the way."""
        return self.host == "localhost" or (_is_address(self.host) and ip_address(self.host).is_loopback)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def server_of(url: str) -> Server:
    """Reads `ldaps://host:port` or `ldap://host:port`; raises `InvalidRequest`."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    beyond = parts.path not in ("", "/") or parts.query or parts.fragment or parts.username is not None
    if parts.scheme not in _PORTS or not _HOST.fullmatch(host) or beyond or port == 0:
        raise InvalidRequest.at("/url", "is ldaps://host or ldap://host, with a port where it is another")
    return Server(host, port or _PORTS[parts.scheme], parts.scheme == "ldaps")


async def reachable(host: Host, url: str) -> Server:
    """Returns the server with the addresses to connect to; raises `InvalidRequest` for a private one.

    What was checked is connected to: a name cannot lead somewhere else meanwhile.
    """
    server = server_of(url)
    resolver = SystemResolver()
    try:
        if host.service(OutboundHttp).private_allowed:
            found = [server.host] if _is_address(server.host) else await resolver(server.host, server.port)
        else:
            found = await public_addresses(server.host, server.port, resolver)
    except EndpointRefused as refusal:
        raise InvalidRequest.at("/url", f"may not be used: {refusal}") from None
    except OSError:
        raise InvalidRequest.at("/url", "names a host that has no address") from None
    finally:
        resolver.close()
    return server._replace(addresses=list(found)[:4])


async def check(host: Host, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the settings as they are stored; raises `InvalidRequest`."""
    await reachable(host, settings["url"])
    if bool(settings.get("bind_dn")) != bool(settings.get("bind_password")):
        raise InvalidRequest.at("/bind_password", "comes with bind_dn, and bind_dn with it")
    if settings.get("ca") and "BEGIN CERTIFICATE" not in settings["ca"]:
        raise InvalidRequest.at("/ca", "is a certificate in PEM")
    # On a thread: the library takes its time to load.
    await asyncio.to_thread(_check_syntax, settings)
    return {name: value.strip() for name, value in settings.items() if value and value.strip()}


def _check_syntax(settings: Mapping[str, Any]) -> None:
    from ldap3.core.exceptions import LDAPExceptionError
    from ldap3.operation.search import parse_filter
    from ldap3.utils.dn import parse_dn

    for name in ("bind_dn", "base_dn", "group_base_dn"):
        try:
            parse_dn(settings.get(name) or "dc=none")
        except LDAPExceptionError:
            raise InvalidRequest.at(f"/{name}", "is no distinguished name, such as dc=acme,dc=test") from None
    wanted = settings.get("user_filter") or DEFAULT_FILTER
    if NAME not in wanted:
        raise InvalidRequest.at("/user_filter", f"has {NAME} where the name belongs")
    try:
        parse_filter(wanted.replace(NAME, "a"), None, True, None, None, False)  # type: ignore[no-untyped-call]
    except LDAPExceptionError:
        raise InvalidRequest.at("/user_filter", f"is no filter, such as (uid={NAME})") from None
