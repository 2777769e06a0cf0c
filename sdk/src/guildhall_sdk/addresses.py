"""Network addresses, as whoever counts by them sees them."""

import ipaddress
from functools import lru_cache

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_LONGEST = 64


@lru_cache(maxsize=4096)
def parse_address(text: str) -> Address | None:
    """Without a zone, and an IPv4 address in IPv6 clothes as IPv4; None for what is no address."""
    if len(text) > _LONGEST:
        return None
    try:
        parsed = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return mapped or parsed


@lru_cache(maxsize=4096)
def address_key(address: str) -> str:
    """Whom an address stands for: a whole /64 in IPv6, where one host has them by the billion."""
    parsed = parse_address(address)
    if parsed is None:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    return str(ipaddress.IPv6Network((int(parsed) >> 64 << 64, 64)))
