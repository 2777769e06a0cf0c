"""Network addresses, as whoever counts by them sees them."""

import ipaddress
from functools import lru_cache


@lru_cache(maxsize=4096)
def address_key(address: str) -> str:
    """Whom an address stands for: a whole /64 in IPv6, where one host has them by the billion."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(parsed) >> 64 << 64, 64)))
