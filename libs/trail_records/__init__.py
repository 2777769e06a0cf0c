"""Records of a trail: of bounded size, with texts that cannot pass for more than they are, in chains.

A chain is by HMAC-SHA256: no record of it can be changed, moved, inserted or left out without the key.
"""

import hashlib
import hmac
import json
import math
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["bounded_object", "canonical", "link_holds", "link_mac", "safe_texts", "seal", "seal_holds"]

_DEPTH = 6
_MAX_KEY = 256
# Controls, line and paragraph ends, text-direction overrides, lone surrogates: whatever could make one
# record look like two, or like another, where it is printed.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
#: Encodes a value as the one JSON text that its mac is made of.
canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def safe_texts(texts: Mapping[str, str | None], max_length: int) -> dict[str, str | None]:
    """Returns the texts, each on one line, with a mark for each unsafe character, cut where it is long."""
    safe: dict[str, str | None] = {}
    for name, text in texts.items():
        safe[name] = None if text is None else _safe_text(text, max_length)
    return safe


def bounded_object(content: Mapping[str, Any], max_bytes: int) -> str:
    """Encodes an object as JSON of so many bytes at most; what does not fit is left out, and that is said."""
    safe: dict[str, Any] = _safe(content, _DEPTH + 1, max_bytes)
    text = canonical(safe)
    if len(text) <= max_bytes:
        return text
    fitting: dict[str, Any] = {"truncated": True}
    for key, value in safe.items():
        if len(canonical({**fitting, key: value})) <= max_bytes:
            fitting[key] = value
    return canonical(fitting)


def _safe_text(text: str, max_length: int) -> str:
    safe = _UNSAFE.sub("\ufffd", text)
    return safe if len(safe) <= max_length else safe[: max_length - 1] + "…"


def _safe(value: Any, depth: int, max_bytes: int) -> Any:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str) or depth == 0:
        return _safe_text(str(value), max_bytes)
    if isinstance(value, Mapping):
        fields: dict[str, Any] = {}
        for key, inner in value.items():
            fields[_safe_text(str(key), _MAX_KEY)] = _safe(inner, depth - 1, max_bytes)
        return fields
    if isinstance(value, list | tuple | set | frozenset):
        return [_safe(inner, depth - 1, max_bytes) for inner in value]
    return _safe_text(str(value), _MAX_KEY)


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
