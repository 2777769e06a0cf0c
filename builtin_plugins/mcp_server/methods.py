"""The methods of the protocol: what a client asks for, by the revision that it speaks."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from builtin_plugins.mcp_server import resources, tools, versions
from builtin_plugins.mcp_server.messages import (
    INVALID_PARAMS,
    MAX_CHARACTERS,
    METHOD_NOT_FOUND,
    Caller,
    Message,
    RpcError,
    described,
)
from guildhall_sdk import NotFound, Problem

Result = Mapping[str, Any]
Method = Callable[[Caller, Mapping[str, Any]], Awaitable[Result]]

_CAPABILITIES: Mapping[str, Any] = {"tools": {}, "resources": {}}
_INSTRUCTIONS = (
    "A team's workspace. The tools are those that the team has on; `search` finds notes and documents by "
    "the words in them, and its hits can be read as resources."
)
# Up to 2025-11-25; from then on it is among the invalid parameters.
_RESOURCE_NOT_FOUND = -32002
_NEVER_CACHED = {"ttlMs": 0, "cacheScope": "private"}


async def answer(caller: Caller, message: Message, revision: str) -> Result | None:
    """Answers a message; None for a notification or an answer of the client's. Raises `RpcError`."""
    if message.id is None:
        return None
    stateless = revision in versions.STATELESS
    method = (_STATELESS if stateless else _BY_HANDSHAKE).get(message.method)
    if method is None:
        # By handshake, a 404 would say that the session is over.
        status = 404 if stateless else 200
        raise RpcError(METHOD_NOT_FOUND, f"Method not found: {message.method[:80]}", status=status)
    try:
        result = await method(caller, message.params)
    except NotFound as problem:
        code = INVALID_PARAMS if stateless else _RESOURCE_NOT_FOUND
        raise RpcError(code, problem.detail, data=described(problem)) from problem
    except Problem as problem:
        raise RpcError.of(problem) from problem
    return _complete(caller, message.method, result) if stateless else result


def longest_answer(method: object) -> int:
    """Returns the bytes that are counted for an answer before it is collected."""
    return _LONGEST.get(method, 0) if isinstance(method, str) else 0


def _complete(caller: Caller, method: str, result: Result) -> Result:
    """Adds what a revision without a handshake says in every result."""
    cached = {} if method == "tools/call" else _NEVER_CACHED
    meta = {"io.modelcontextprotocol/serverInfo": _server(caller)}
    return {"resultType": "complete", **result, **cached, "_meta": meta}


def _server(caller: Caller) -> dict[str, str]:
    return {"name": "guildhall", "title": "Guildhall", "version": caller.host.settings.version}


async def initialize(caller: Caller, params: Mapping[str, Any]) -> Result:
    wanted = params.get("protocolVersion")
    if not isinstance(wanted, str):
        raise RpcError(INVALID_PARAMS, "Invalid params: protocolVersion is missing, or no text")
    return {
        "protocolVersion": versions.agreed(wanted),
        "capabilities": _CAPABILITIES,
        "serverInfo": _server(caller),
        "instructions": _INSTRUCTIONS,
    }


async def discover(caller: Caller, params: Mapping[str, Any]) -> Result:
    return {
        "supportedVersions": list(versions.SUPPORTED),
        "capabilities": _CAPABILITIES,
        "instructions": _INSTRUCTIONS,
    }


async def ping(caller: Caller, params: Mapping[str, Any]) -> Result:
    return {}


_SHARED: Mapping[str, Method] = {
    "tools/list": tools.list_tools,
    "tools/call": tools.call_tool,
    "resources/list": resources.list_resources,
    "resources/templates/list": resources.list_templates,
    "resources/read": resources.read_resource,
}
# What an answer may take in memory; the others are short.
_LONGEST: Mapping[str, int] = {
    "tools/list": 512 * 1024,
    "tools/call": 2 * MAX_CHARACTERS,
    "resources/list": 256 * 1024,
    "resources/read": 2 * MAX_CHARACTERS,
}
_BY_HANDSHAKE: Mapping[str, Method] = {"initialize": initialize, "ping": ping, **_SHARED}
_STATELESS: Mapping[str, Method] = {"server/discover": discover, **_SHARED}
