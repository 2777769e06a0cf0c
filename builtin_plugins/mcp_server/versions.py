"""Which revision of the protocol a message is of, and what that revision asks of its headers.

Up to 2025-11-25 a client begins with `initialize` and names the revision in a header from then on. Since
2026-07-28 nothing comes first: every message names its revision itself, and headers repeat what it says.
"""

import base64
import binascii
from collections.abc import Mapping

from builtin_plugins.mcp_server.messages import INVALID_PARAMS, Message, RpcError

WITH_BATCHES = "2025-03-26"
NEWEST_BY_HANDSHAKE = "2025-11-25"
BY_HANDSHAKE = (NEWEST_BY_HANDSHAKE, "2025-06-18", WITH_BATCHES)
STATELESS = ("2026-07-28",)
SUPPORTED = (*STATELESS, *BY_HANDSHAKE)

HEADER = "mcp-protocol-version"
_HEADER_MISMATCH = -32020
_UNSUPPORTED_VERSION = -32022
_META = "io.modelcontextprotocol/"
_NAMED = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
_ENCODED = ("=?base64?", "?=")


def revision_of(headers: Mapping[str, str], message: Message) -> str:
    """Raises `RpcError` with HTTP's 400 where headers and message do not make one that is supported."""
    named, said = headers.get(HEADER), message.meta.get(f"{_META}protocolVersion")
    if said is None:
        return _revision_by_handshake(named, message)
    if not isinstance(said, str):
        raise RpcError(INVALID_PARAMS, f"Invalid params: {_META}protocolVersion is a text", status=400)
    if named != said:
        raise _mismatch("MCP-Protocol-Version", named, said)
    if said not in STATELESS:
        raise unsupported(said)
    _check_headers(headers, message)
    if not isinstance(message.meta.get(f"{_META}clientCapabilities"), dict):
        raise _missing("clientCapabilities")
    return said


def named_revision(headers: Mapping[str, str]) -> str:
    """Returns the revision that the header names; without one it is the revision that did not have it."""
    named = headers.get(HEADER, WITH_BATCHES)
    if named not in SUPPORTED:
        raise unsupported(named)
    return named


def agreed(wanted: str) -> str:
    """Returns the revision that `initialize` is answered with: the client's, or ours where we lack it."""
    return wanted if wanted in BY_HANDSHAKE else NEWEST_BY_HANDSHAKE


def unsupported(wanted: str) -> RpcError:
    data = {"supported": list(SUPPORTED), "requested": wanted[:80]}
    return RpcError(_UNSUPPORTED_VERSION, "Unsupported protocol version", data=data, status=400)


def _revision_by_handshake(named: str | None, message: Message) -> str:
    revision = WITH_BATCHES if named is None else named
    if revision not in SUPPORTED:
        raise unsupported(revision)
    # Nothing says what a notification has to carry; there is none that this server does anything about.
    if revision in STATELESS and message.id is not None:
        raise _missing("protocolVersion")
    return revision


def _check_headers(headers: Mapping[str, str], message: Message) -> None:
    if headers.get("mcp-method") != message.method:
        raise _mismatch("Mcp-Method", headers.get("mcp-method"), message.method)
    if (field := _NAMED.get(message.method)) is not None:
        name, wanted = _decoded(headers.get("mcp-name")), message.params.get(field)
        if name != wanted:
            raise _mismatch("Mcp-Name", name, wanted)


def _decoded(value: str | None) -> str | None:
    begin, end = _ENCODED
    if value is None or not (value.startswith(begin) and value.endswith(end)):
        return value
    try:
        return base64.b64decode(value[len(begin) : -len(end)], validate=True).decode()
    except (binascii.Error, UnicodeError):
        return None


def _mismatch(header: str, value: object, body: object) -> RpcError:
    found = f"{header} is {str(value)[:80]!r}" if value is not None else f"{header} is missing"
    return RpcError(
        _HEADER_MISMATCH, f"Header mismatch: {found} where the message says {str(body)[:80]!r}", status=400
    )


def _missing(field: str) -> RpcError:
    return RpcError(INVALID_PARAMS, f"Invalid params: _meta lacks {_META}{field}", status=400)
