"""Whose request it is when proxies stand in front: told by those that the operator trusts, nobody else."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network
from typing import Any

from guildhall_sdk.addresses import Address, parse_address
from guildhall_sdk.mounts import Asgi, Receive, Send
from kernel.config import Network

PEER = "guildhall.peer"  # of a scope: who holds the connection, where the client is somebody behind them
_HEADER = b"x-forwarded-for"
_MAPPED_BITS = 96
_BRACKETED = re.compile(r"\[([^\[\]]*)\](?::[0-9]{1,5})?")
_WITH_PORT = re.compile(r"([0-9.]+):[0-9]{1,5}")


def behind_proxies(application: Asgi, trusted: Sequence[Network]) -> Asgi:
    """The application, with the caller's own address as the `client` of every request."""
    if not trusted:
        return application
    proxies = Proxies(trusted)

    async def answer(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        client = scope.get("client")
        if client is not None:
            address = proxies.caller(client[0], scope["headers"])
            if address != client[0]:
                scope = {**scope, "client": (address, 0), PEER: client[0]}
        await application(scope, receive, send)

    return answer


class Proxies:
    """The proxies that are believed."""

    def __init__(self, trusted: Sequence[Network]) -> None:
        self._networks = tuple(_plain(network) for network in trusted)
        self._is_trusted = lru_cache(maxsize=4096)(self._stands_in_one)

    def caller(self, connected: str, headers: Sequence[tuple[bytes, bytes]]) -> str:
        """The first address from the right that is no proxy of ours.

        Each hop is told by the one to its right. So nothing that stands left of the caller counts, nor
        what is left of a word that is no address.
        """
        hop = parse_address(connected)
        if hop is None or not self._is_trusted(hop):
            return connected
        for word in _from_the_right(headers):
            told = _parse_hop(word)
            if told is None:
                break
            hop = told
            if not self._is_trusted(hop):
                break
        return str(hop)

    def trusts(self, connected: str) -> bool:
        hop = parse_address(connected)
        return hop is not None and self._is_trusted(hop)

    def _stands_in_one(self, address: Address) -> bool:
        return any(address in network for network in self._networks)


def _plain(network: Network) -> Network:
    """An IPv4 network in IPv6 clothes as IPv4, as addresses are read too."""
    mapped = network.network_address.ipv4_mapped if isinstance(network, IPv6Network) else None
    if mapped is None or network.prefixlen < _MAPPED_BITS:
        return network
    return IPv4Network((int(mapped), network.prefixlen - _MAPPED_BITS))


def _from_the_right(headers: Sequence[tuple[bytes, bytes]]) -> Iterator[str]:
    """Several lines of the header are one list."""
    for name, value in reversed(headers):
        if name == _HEADER:
            yield from reversed(value.decode("latin-1").split(","))


def _parse_hop(word: str) -> Address | None:
    """`192.0.2.7`, `192.0.2.7:567`, `2001:db8::7`, `[2001:db8::7]`, `[2001:db8::7]:567`."""
    text = word.strip(" \t")
    with_port = _BRACKETED.fullmatch(text) or _WITH_PORT.fullmatch(text)
    return parse_address(with_port[1] if with_port else text)
