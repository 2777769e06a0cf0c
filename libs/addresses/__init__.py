"""Network addresses: parsing them, counting by them, and finding the caller behind proxies."""

from libs.addresses.parsing import Address, address_key, parse_address
from libs.addresses.proxies import Network, Proxies, parse_networks

__all__ = ["Address", "Network", "Proxies", "address_key", "parse_address", "parse_networks"]
