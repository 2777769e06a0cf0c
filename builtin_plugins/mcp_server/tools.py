"""Tools: those that the team has on and the caller may use, and three of this server's own that read."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builtin_plugins.mcp_server import resources
from builtin_plugins.mcp_server.messages import (
    INVALID_PARAMS,
    MAX_SECONDS,
    Caller,
    RpcError,
    failure,
    note_uri,
    object_uri,
    presented,
)
from guildhall_sdk import InvalidRequest, Parameter, Problem
from guildhall_sdk.errors import PaymentRequired
from guildhall_sdk.replies import decode_cursor, encode_cursor
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.search import Search
from guildhall_sdk.tools import Tools, object_schema
from libs.request_body import ClientGone, unless_gone

MAX_QUERY = 1_000
MAX_NUMBER = 10_000_000
_HITS, _MAX_HITS = 20, 50
#: Of a document, in characters, where its reader says from where.
_PART = 20_000
_URIS = {"note": note_uri, "object": object_uri}
_MARKS = str.maketrans({"\x01": "**", "\x02": "**"})


@dataclass(frozen=True, slots=True, eq=False)
class ReadingTool:
    """What changes nothing, and so is neither switched nor recorded."""

    name: str
    description: str
    permission: str
    parameters: Sequence[Parameter]
    answer: Callable[[Caller, Mapping[str, Any]], Awaitable[Any]]

    async def run(self, caller: Caller, arguments: Mapping[str, Any]) -> Any:
        self._check(arguments)
        return await self.answer(caller, arguments)

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": object_schema(self.parameters),
            "annotations": {"readOnlyHint": True, "openWorldHint": False},
        }

    def _check(self, arguments: Mapping[str, Any]) -> None:
        known = {parameter.name: parameter for parameter in self.parameters}
        for name, value in arguments.items():
            if name not in known:
                raise InvalidRequest.at(f"/{name[:80]}", "is no argument of this tool")
            if known[name].type == "integer":
                if type(value) is not int or not 0 <= value <= MAX_NUMBER:
                    raise InvalidRequest.at(f"/{name}", f"is a whole number up to {MAX_NUMBER}")
                continue
            if not isinstance(value, str):
                raise InvalidRequest.at(f"/{name}", "is a text")
            if known[name].enum and value not in known[name].enum:
                raise InvalidRequest.at(f"/{name}", f"is one of {', '.join(known[name].enum)}")
            if len(value) > MAX_QUERY:
                raise InvalidRequest.at(f"/{name}", f"is longer than {MAX_QUERY} characters")
        for parameter in self.parameters:
            if not parameter.optional and parameter.name not in arguments:
                raise InvalidRequest.at(f"/{parameter.name}", "is missing")


async def search(caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
    query = arguments.get("query", arguments.get("q"))
    if query is None:
        raise InvalidRequest.at("/query", "is missing")
    found = await caller.service(Search).find(
        caller.principal,
        query,
        type=arguments.get("type"),
        cursor=arguments.get("cursor"),
        limit=max(1, min(arguments.get("limit", _HITS), _MAX_HITS)),
        mode=arguments.get("mode"),
    )
    return {"items": [_hit(item) for item in found.items], "next_cursor": found.next_cursor}


def _hit(item: Mapping[str, Any]) -> dict[str, Any]:
    uri = _URIS.get(item["type"])
    named = {} if uri is None else {"uri": uri(item["id"])}
    return {**item, "snippet": item["snippet"].translate(_MARKS), **named}


async def read_note(caller: Caller, arguments: Mapping[str, Any]) -> str:
    return (await resources.read_note(caller, arguments["id"])).text_for_models()


async def read_document(caller: Caller, arguments: Mapping[str, Any]) -> str:
    id_, key = arguments.get("id"), arguments.get("key")
    if (id_ is None) == (key is None):
        raise InvalidRequest.at("/id", "is missing: give the id of the document, or its key")
    if key is not None:
        async with caller.read() as reader:
            found = await caller.service(Repository).at_key(
                reader, caller.principal, caller.principal.team_id, key
            )
        id_ = found.object_id
    text = (await resources.read_object(caller, id_ or "")).text_for_models()
    start = arguments.get("from")
    return text if start is None else text[start : start + _PART]


READING_TOOLS: Mapping[str, ReadingTool] = {
    tool.name: tool
    for tool in (
        ReadingTool(
            "search",
            "Finds notes and documents of the workspace by their words and their meaning, best first.",
            "search",
            (
                Parameter("query", "string", 'What to look for; "a phrase"; -without', optional=True),
                Parameter("q", "string", "An older name of `query`", optional=True),
                Parameter(
                    "mode",
                    "string",
                    "By words (all must be there), by meaning, or both",
                    optional=True,
                    enum=("words", "meaning", "hybrid"),
                ),
                Parameter("limit", "integer", "At most so many, up to 50", optional=True),
                Parameter("type", "string", "Only this type: note or object", optional=True),
                Parameter("cursor", "string", "`next_cursor` of the page before", optional=True),
            ),
            search,
        ),
        ReadingTool(
            "read_note",
            "Reads a note of the workspace.",
            "notes:read",
            (Parameter("id", "string", "The id of the note"),),
            read_note,
        ),
        ReadingTool(
            "read_document",
            "Reads the text of a document of the workspace.",
            "files:read",
            (
                Parameter("id", "string", "The id of the document", optional=True),
                Parameter("key", "string", "Or its key in the team's files", optional=True),
                Parameter("from", "integer", "The character to begin at, for a part", optional=True),
            ),
            read_document,
        ),
    )
}


PAGE = 100
_log = logging.getLogger("guildhall.mcp-server")


async def list_tools(caller: Caller, params: Mapping[str, Any]) -> Mapping[str, Any]:
    after = decode_cursor(text_in(params, "cursor")) or ""
    registered = await _registered(caller)
    described = {
        **{tool["name"]: _described(tool) for tool in registered if _is_open(caller, tool)},
        **{name: tool.to_json() for name, tool in _reading_tools(caller, registered).items()},
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
        reading = _reading_tools(caller, await _registered(caller), only_permitted=False).get(name)
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
    caller: Caller, registered: Sequence[Mapping[str, Any]], *, only_permitted: bool = True
) -> Mapping[str, ReadingTool]:
    """Returns this server's own tools, but for a name that a plugin's tool has, be that on or off.

    Of two that both only read this server's is taken: what it finds has the address of a resource.
    """
    taken = {tool["name"] for tool in registered if tool["writes"]}
    return {
        name: tool
        for name, tool in READING_TOOLS.items()
        if name not in taken and (not only_permitted or caller.principal.may(tool.permission))
    }


def _is_open(caller: Caller, tool: Mapping[str, Any]) -> bool:
    return bool(tool["enabled"]) and caller.principal.may(tool["permission"])


def _described(tool: Mapping[str, Any]) -> dict[str, Any]:
    # The protocol wants the word; a schema from elsewhere may leave it out.
    arguments = {"type": "object", **tool["schema"]["parameters"]}
    return {"name": tool["name"], "description": tool["description"], "inputSchema": arguments}


def text_in(params: Mapping[str, Any], name: str) -> str | None:
    """Returns the text of a parameter that may be absent."""
    value = params.get(name)
    if value is not None and not isinstance(value, str):
        raise RpcError(INVALID_PARAMS, f"Invalid params: {name} is a text")
    return value
