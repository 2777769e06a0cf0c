"""JSON-RPC 2.0, one message a line: how one is written, and how strictly one is read."""

import json
import math
from collections.abc import Mapping
from typing import Any

MAX_LINE = 1024 * 1024
INVALID_PARAMS, UNKNOWN_METHOD, REFUSED = -32602, -32601, -32000
_MAX_DEPTH = 64
_MAX_INTEGER = 2**63


class ProtocolAbuse(Exception):
    """What a plugin wrote that no plugin may write, in words that follow its name."""


def encode(message: Mapping[str, Any]) -> bytes:
    """Returns a message as a whole line."""
    text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def decode(line: bytes) -> Mapping[str, Any]:
    """Raises `ProtocolAbuse` for what is no message."""
    try:
        # As bytes it could be of another encoding, and hold halves of surrogate pairs.
        message = json.loads(line.decode(), parse_constant=_refuse, parse_float=_float, parse_int=_integer)
    except (ValueError, RecursionError):
        raise ProtocolAbuse("wrote a line that is not JSON") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ProtocolAbuse("wrote a line that is no JSON-RPC 2.0 message")
    _check_depth(message)
    found: Mapping[str, Any] = message
    # Half of a surrogate pair, or a NUL, would break whoever stores or shows it.
    if b"\\u0000" in line or b"\\ud" in line.lower():
        found = _clean(message)
    return found


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_clean(name): _clean(below) for name, below in value.items()}
    return [_clean(below) for below in value] if isinstance(value, list) else value


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(text)
    return value


def _integer(text: str) -> int:
    value = int(text)
    if abs(value) >= _MAX_INTEGER:
        raise ValueError(text)
    return value


def _check_depth(message: Any) -> None:
    level = [message]
    for _ in range(_MAX_DEPTH):
        level = [below for value in level for below in _below(value)]
        if not level:
            return
    raise ProtocolAbuse(f"wrote a message that is nested deeper than {_MAX_DEPTH}")


def _below(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
