"""Where a request may go. An address that a company chose must not lead into our own network.

A name says nothing: what it resolves to is checked, every address of it, and the connection goes to an
address that was checked. So a name that leads elsewhere a moment later leads nowhere.
"""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

Address = IPv4Address | IPv6Address
#: Returns the addresses of a host: what a name resolves to, or those that were checked.
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

MAX_URL_CHARACTERS = 2048
RESOLVE_SECONDS = 5.0
_PORTS = {"http": 80, "https": 443}
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
# Names that mean something else on every network, or nothing outside of one.
_INWARD = tuple(
    f".{name}"
    for name in (
        *("localhost", "local", "localdomain", "internal", "intranet"),
        *("private", "corp", "home", "lan", "arpa"),
    )
)
# IANA's special-purpose registries, and multicast; the last is where a cloud keeps its agents' service.
_NOT_PUBLIC_V4 = tuple(
    map(
        IPv4Network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
            *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
            *("192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
            *("224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32"),
        ),
    )
)
# Unicast that was given out; IPv4 in another's clothes (mapped, NAT64) lies outside, 6to4 and Teredo below.
_GIVEN_OUT_V6 = IPv6Network("2000::/3")
_NOT_PUBLIC_V6 = tuple(
    map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"))
)


class EndpointRefused(Exception):
    """The address is not one, or not one that may be used here; its text says why."""


class Endpoint(NamedTuple):
    """An address as we write it: no user, no fragment, one spelling per host."""

    url: str
    host: str
    port: int


def parse_endpoint(url: str) -> Endpoint:
    """Parses an address that paths are put behind: without a query, nor a slash at the end.

    Raises `EndpointRefused` for what is not plainly an http:// or https:// address.
    """
    if any(char in url for char in "?#"):
        raise EndpointRefused("The address must not hold a query or a fragment: paths are put behind it.")
    return _written(url, whole=False)


def parse_url(url: str) -> Endpoint:
    """Parses an address with its path and query as they are.

    Raises `EndpointRefused` for what is not plainly an http:// or https:// address.
    """
    if "#" in url:
        raise EndpointRefused("The address must not hold a fragment.")
    return _written(url, whole=True)


def _written(url: str, *, whole: bool) -> Endpoint:
    if len(url) > MAX_URL_CHARACTERS:
        raise EndpointRefused(f"The address is longer than {MAX_URL_CHARACTERS} characters.")
    if not url.isascii() or not url.isprintable() or any(char in url for char in ' \\"<>^`{|}'):
        raise EndpointRefused("The address holds characters that it must not; a name goes in punycode.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise EndpointRefused("The address is not well formed.") from None
    if parts.scheme not in _PORTS:
        raise EndpointRefused("The address must begin with http:// or https://.")
    if "@" in parts.netloc:
        raise EndpointRefused("The address must not hold a user or a password; a key goes in its own field.")
    if port == 0 or parts.netloc.endswith(":"):
        raise EndpointRefused("The address has no such port.")
    host = _host_of(parts)
    netloc_host = f"[{host}]" if ":" in host else host
    netloc = netloc_host if port is None else f"{netloc_host}:{port}"
    behind = parts.path.rstrip("/")
    if whole:
        behind = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Endpoint(f"{parts.scheme}://{netloc}{behind}", host, port or _PORTS[parts.scheme])


def _host_of(parts: SplitResult) -> str:
    host = (parts.hostname or "").lower()
    if "[" in parts.netloc or ":" in host:
        try:
            return str(IPv6Address(host)) if "%" not in host else _refuse_host()
        except ValueError:
            _refuse_host()
    host = host.removesuffix(".")
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        try:
            return str(IPv4Address(host))
        except ValueError:
            raise EndpointRefused("An IPv4 address is written as four plain numbers.") from None
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        _refuse_host()
    return host


def _refuse_host() -> str:
    raise EndpointRefused("The address names no host.")


def is_public(address: Address) -> bool:
    """Returns whether everybody on the internet would reach the same one there."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_V4)
    return address in _GIVEN_OUT_V6 and not any(address in network for network in _NOT_PUBLIC_V6)


async def check_public(endpoint: Endpoint, resolve: Resolve) -> None:
    """Checks at creation. A name that does not resolve now is let in: it is checked again at every use."""
    try:
        async with asyncio.timeout(RESOLVE_SECONDS):
            await public_addresses(endpoint.host, endpoint.port, resolve)
    except (OSError, TimeoutError):
        return


async def public_addresses(host: str, port: int, resolve: Resolve) -> Sequence[str]:
    """Returns all that the host resolves to now, each one checked. Raises `EndpointRefused`, or `OSError`."""
    given = _literal(host)
    if given is None and (host.endswith(_INWARD) or "." not in host):
        raise EndpointRefused("This host is not on the public internet.")
    found = [given] if given is not None else [ip_address(text) for text in await resolve(host, port)]
    if not all(map(is_public, found)):
        raise EndpointRefused("This host is not on the public internet.")
    if not found:
        raise OSError("the name has no address")
    return [str(address) for address in found]


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


class SystemResolver:
    """Asks the system's resolver, off the event loop; a slow name server keeps nobody else's threads."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(4, thread_name_prefix="resolver")
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _addresses_of, host, port)
        return list(dict.fromkeys(found))

    def close(self) -> None:
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None


def _addresses_of(host: str, port: int) -> Sequence[str]:
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
