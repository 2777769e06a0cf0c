"""The caller behind proxies: who is believed about an address, and what they say."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network

from libs.addresses.parsing import Address, parse_address

Network = IPv4Network | IPv6Network
_FORWARDED_FOR = b"x-forwarded-for"
_MAPPED_BITS = 96
_BRACKETED = re.compile(r"\[([^\[\]]*)\](?::[0-9]{1,5})?")
_WITH_PORT = re.compile(r"([0-9.]+):[0-9]{1,5}")


def parse_networks(given: str) -> tuple[Network, ...]:
    """Returns the networks of a list; raises `ValueError` in words that follow the name of the list."""
    try:
        return tuple(ip_network(part.strip()) for part in given.split(",") if part.strip())
    except ValueError:
        raise ValueError("takes addresses or CIDRs, `,`-separated, such as 127.0.0.1,10.0.0.0/8") from None


class Proxies:
    """The proxies that the operator trusts to say whose request it is; nobody else is believed."""

    def __init__(self, trusted: Sequence[Network]) -> None:
        self._networks = tuple(_plain(network) for network in trusted)
        self._is_trusted = lru_cache(maxsize=4096)(self._stands_in_one)

    def caller(self, connected: str, headers: Sequence[tuple[bytes, bytes]]) -> str:
        """Returns the first address from the right that is no proxy of ours.

        Each hop is reported by the one to its right. So nothing that stands left of the caller counts, nor
        what is left of a word that is no address.
        """
        hop = parse_address(connected)
        if hop is None or not self._is_trusted(hop):
            return connected
        for word in _from_the_right(headers):
            address = _parse_hop(word)
            if address is None:
                break
            hop = address
            if not self._is_trusted(hop):
                break
        return str(hop)

    def trusts(self, connected: str) -> bool:
        hop = parse_address(connected)
        return hop is not None and self._is_trusted(hop)

    def _stands_in_one(self, address: Address) -> bool:
        return any(address in network for network in self._networks)


def _plain(network: Network) -> Network:
    """Returns an IPv4-mapped network as IPv4, as addresses are read too."""
    mapped = network.network_address.ipv4_mapped if isinstance(network, IPv6Network) else None
    if mapped is None or network.prefixlen < _MAPPED_BITS:
        return network
    return IPv4Network((int(mapped), network.prefixlen - _MAPPED_BITS))


def _from_the_right(headers: Sequence[tuple[bytes, bytes]]) -> Iterator[str]:
    """Yields the hops from the right; several lines of the header are one list."""
    for name, value in reversed(headers):
        if name == _FORWARDED_FOR:
            yield from reversed(value.decode("latin-1").split(","))


def _parse_hop(word: str) -> Address | None:
    """Parses a hop such as `192.0.2.7`, `192.0.2.7:567`, `2001:db8::7` or `[2001:db8::7]:567`."""
    text = word.strip(" \t")
    with_port = _BRACKETED.fullmatch(text) or _WITH_PORT.fullmatch(text)
    return parse_address(with_port[1] if with_port else text)
