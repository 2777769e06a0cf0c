"""Chains of records by HMAC-SHA256: none can be changed, moved, inserted or left out without the key."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

__all__ = ["canonical", "link_holds", "link_mac", "seal", "seal_holds"]

#: Encodes a value as the one JSON text that its mac is made of.
canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def link_mac(key: bytes, mac_before: str, content: Mapping[str, Any]) -> str:
    """Returns the mac of a record: it covers the content and the mac of the record before, `""` for none."""
    return hmac.digest(key, bytes.fromhex(mac_before) + canonical(content).encode(), hashlib.sha256).hex()


def link_holds(key: bytes, mac_before: str, content: Mapping[str, Any], mac: str) -> bool:
    """Tells whether a record is the one that was appended after the one with that mac."""
    try:
        expected = link_mac(key, mac_before, content)
    except (TypeError, ValueError):  # a damaged record may hold anything
        return False
    return _equal(expected, mac)


def seal(key: bytes, kind: str, *content: Any) -> str:
    """Seals a statement that is no link, such as where a chain ends; `kind` keeps two kinds apart."""
    return hmac.digest(key, canonical([kind, *content]).encode(), hashlib.sha256).hex()


def seal_holds(key: bytes, given: str, kind: str, *content: Any) -> bool:
    """Tells whether somebody who holds the key has sealed this."""
    return _equal(seal(key, kind, *content), given)


def _equal(expected: str, given: str) -> bool:
    return hmac.compare_digest(expected.encode(), given.encode())
