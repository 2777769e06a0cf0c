"""One event: what it holds, how it is bounded, and the mac that ties it to the one before."""

import hashlib
import hmac
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from guildhall_sdk import Row

DETAIL_BYTES = 4096
TEXT_LENGTH = 256
_DEPTH = 6
# Made once: `json.dumps` would make one for every event.
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_COVERED = (
    "id",
    "chain",
    "seq",
    "org_id",
    "team_id",
    "at",
    "actor_id",
    "actor_name",
    "action",
    "target_type",
    "target_id",
    "detail",
    "request_id",
)
# Controls, line and paragraph ends, text-direction overrides, lone surrogates: whatever could make one
# event look like two, or like another, where it is printed.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def safe_text(text: str, length: int = TEXT_LENGTH) -> str:
    safe = _UNSAFE.sub("\ufffd", text)
    return safe if len(safe) <= length else safe[: length - 1] + "…"


def safe_text_or_none(text: str | None) -> str | None:
    return None if text is None else safe_text(text)


def detail_json(detail: Mapping[str, Any] | None) -> str:
    """The detail as JSON text of at most 4 KiB; what does not fit is left out, and that is said."""
    safe = {safe_text(str(key)): _safe(value, _DEPTH) for key, value in (detail or {}).items()}
    text = canonical(safe)
    if len(text) <= DETAIL_BYTES:
        return text
    kept: dict[str, Any] = {"truncated": True}
    for key, value in safe.items():
        if len(canonical({**kept, key: value})) <= DETAIL_BYTES:
            kept[key] = value
    return canonical(kept)


def _safe(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str) or depth == 0:
        return safe_text(str(value), DETAIL_BYTES)
    if isinstance(value, Mapping):
        return {safe_text(str(key)): _safe(inner, depth - 1) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_safe(inner, depth - 1) for inner in value]
    return safe_text(str(value))


def event_mac(key: bytes, mac_before: str, event: Row) -> str:
    """Covers every column and the mac before, so that no event can be changed, moved or left out."""
    content = canonical({name: event[name] for name in _COVERED})
    return hmac.digest(key, bytes.fromhex(mac_before) + content.encode(), hashlib.sha256).hex()


def head_seal(key: bytes, chain: str, seq: int, mac: str) -> str:
    """Only who holds the key can say where a chain ends."""
    return hmac.digest(key, canonical(["head", chain, seq, mac]).encode(), hashlib.sha256).hex()


def canonical(value: Any) -> str:
    """The one JSON text of a value that its mac is made of."""
    return _ENCODER.encode(value)
