"""Tools: those that the team has on and the caller may use, and three of this server's own that read."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from builtin_plugins.mcp_server.caller import MAX_SECONDS, Caller
from builtin_plugins.mcp_server.messages import INVALID_PARAMS, RpcError
from builtin_plugins.mcp_server.reading_tools import READING_TOOLS, ReadingTool
from builtin_plugins.mcp_server.results import failure, presented
from guildhall_sdk import Problem
from guildhall_sdk.context import unless_gone
from guildhall_sdk.errors import PaymentRequired
from guildhall_sdk.paging import decode_cursor, encode_cursor
from guildhall_sdk.request_body import ClientGone
from guildhall_sdk.services.toggles import Tools

PAGE = 100
_log = logging.getLogger("guildhall.mcp-server")


async def list_tools(caller: Caller, params: Mapping[str, Any]) -> Mapping[str, Any]:
    after = decode_cursor(text_in(params, "cursor")) or ""
    registered = await _registered(caller)
    described = {
        **{name: tool.to_json() for name, tool in _reading_tools(caller, registered).items()},
        **{tool["name"]: _described(tool) for tool in registered if _is_open(caller, tool)},
    }
    names = sorted(name for name in described if name > after)
    page = {"tools": [described[name] for name in names[:PAGE]]}
    return {**page, "nextCursor": encode_cursor(names[PAGE - 1])} if len(names) > PAGE else page


async def call_tool(caller: Caller, params: Mapping[str, Any]) -> Mapping[str, Any]:
    name, arguments = text_in(params, "name"), params.get("arguments", {})
    if name is None:
        raise RpcError(INVALID_PARAMS, "Invalid params: name is missing")
    if not isinstance(arguments, dict):
        raise RpcError(INVALID_PARAMS, "Invalid params: arguments is an object")
    try:
        async with caller.time_limit():
            result = await unless_gone(caller, _run(caller, name, arguments))
    except (PaymentRequired, ClientGone):
        raise
    except Problem as problem:
        if problem.code == "unknown_tool":
            raise RpcError(INVALID_PARAMS, f"Unknown tool: {name[:80]}") from None
        return failure(problem)
    except TimeoutError:
        return failure(Problem(f"The tool did not answer within {MAX_SECONDS:g} s.", code="tool_timeout"))
    except Exception:
        _log.exception("tool.failed", extra={"action": "tool.failed", "tool": name})
        return failure(Problem("The tool failed; the log of the server says why."))
    return await presented(caller.principal.org_id, result)


async def _run(caller: Caller, name: str, arguments: Mapping[str, Any]) -> Any:
    if name in READING_TOOLS:
        reading = _reading_tools(caller, await _registered(caller), judged=False).get(name)
        if reading is not None:
            return await reading.run(caller, arguments)
    async with caller.read() as reader:
        admitted = await caller.service(Tools).admit(reader, caller.principal, name, arguments)
    async with caller.write_unless_suspended() as writer:
        writer.audit("tool.called", ("tool", name))
    return await admitted.run()


async def _registered(caller: Caller) -> Sequence[Mapping[str, Any]]:
    async with caller.read() as reader:
        return await caller.service(Tools).listing(reader, caller.principal.team_id)


def _reading_tools(
    caller: Caller, registered: Sequence[Mapping[str, Any]], *, judged: bool = True
) -> Mapping[str, ReadingTool]:
    """This server's own, but for a name that a plugin's tool has, be that on or off."""
    taken = {tool["name"] for tool in registered}
    return {
        name: tool
        for name, tool in READING_TOOLS.items()
        if name not in taken and (not judged or caller.principal.may(tool.permission))
    }


def _is_open(caller: Caller, tool: Mapping[str, Any]) -> bool:
    return bool(tool["enabled"]) and caller.principal.may(tool["permission"])


def _described(tool: Mapping[str, Any]) -> dict[str, Any]:
    # The protocol wants the word; a schema from elsewhere may leave it out.
    arguments = {"type": "object", **tool["schema"]["parameters"]}
    return {"name": tool["name"], "description": tool["description"], "inputSchema": arguments}


def text_in(params: Mapping[str, Any], name: str) -> str | None:
    """A parameter that may be absent."""
    value = params.get(name)
    if value is not None and not isinstance(value, str):
        raise RpcError(INVALID_PARAMS, f"Invalid params: {name} is a text")
    return value
