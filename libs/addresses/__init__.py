"""Network addresses: parsing them, and the key that failures and calls are counted by."""

import ipaddress
from functools import lru_cache

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_LONGEST = 64


@lru_cache(maxsize=4096)
def parse_address(text: str) -> Address | None:
    """Parses an address without its zone, an IPv4-mapped one as IPv4; returns None for other text."""
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
    """Returns the key that calls from an address are counted by: in IPv6 its whole /64, else the address."""
    parsed = parse_address(address)
    if parsed is None:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    return str(ipaddress.IPv6Network((int(parsed) >> 64 << 64, 64)))
