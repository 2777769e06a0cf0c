"""Three tools of this server's own: to search, and to read what was found."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builtin_plugins.mcp_server import resources
from builtin_plugins.mcp_server.caller import Caller
from builtin_plugins.mcp_server.uris import note_uri, object_uri
from guildhall_sdk import InvalidRequest, Parameter
from guildhall_sdk.services.search import Search
from guildhall_sdk.tools import object_schema

MAX_QUERY = 1_000
MAX_ID = 200
_HITS = 20
_URIS = {"note": note_uri, "object": object_uri}
_MARKS = str.maketrans({"\x01": "**", "\x02": "**"})


@dataclass(frozen=True, slots=True)
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
            if not isinstance(value, str):
                raise InvalidRequest.at(f"/{name}", "is a text")
            if len(value) > MAX_QUERY:
                raise InvalidRequest.at(f"/{name}", f"is longer than {MAX_QUERY} characters")
        for parameter in self.parameters:
            if not parameter.optional and parameter.name not in arguments:
                raise InvalidRequest.at(f"/{parameter.name}", "is missing")


async def search(caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
    found = await caller.service(Search).find(
        caller.principal,
        arguments["q"],
        type=arguments.get("type"),
        cursor=arguments.get("cursor"),
        limit=_HITS,
    )
    return {"items": [_hit(item) for item in found.items], "next_cursor": found.next_cursor}


def _hit(item: Mapping[str, Any]) -> dict[str, Any]:
    uri = _URIS.get(item["type"])
    named = {} if uri is None else {"uri": uri(item["id"])}
    return {**item, "snippet": item["snippet"].translate(_MARKS), **named}


async def read_note(caller: Caller, arguments: Mapping[str, Any]) -> str:
    return (await resources.read_note(caller, arguments["id"])).text_for_models()


async def read_document(caller: Caller, arguments: Mapping[str, Any]) -> str:
    return (await resources.read_object(caller, arguments["id"])).text_for_models()


READING_TOOLS: Mapping[str, ReadingTool] = {
    tool.name: tool
    for tool in (
        ReadingTool(
            "search",
            "Finds notes and documents of the workspace by the words in them, best first.",
            "search",
            (
                Parameter("q", "string", 'Words, all of which must be there; "a phrase"; -without'),
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
            (Parameter("id", "string", "The id of the document"),),
            read_document,
        ),
    )
}
