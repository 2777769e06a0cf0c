"""One session with a server by the MCP SDK, which is imported with it, and what its tools answer."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from builtin_plugins.mcp.definitions import MAX_TOOLS, Listing, ListingBuilder
from builtin_plugins.mcp.entries import Entry, HttpEntry, StdioEntry
from builtin_plugins.mcp.http_transport import http_streams
from builtin_plugins.mcp.losses import SessionWatch
from builtin_plugins.mcp.messages import ANSWER_BROKEN_OFF, ANSWER_TOO_LARGE
from builtin_plugins.mcp.stdio_transport import stdio_streams
from guildhall_sdk import UserError
from guildhall_sdk.tools import Artifact

MAX_BYTES = 1024 * 1024
MAX_ERROR_CHARACTERS = 2_000
_BINARY = frozenset({"image", "audio"})

_MAX_PAGES = 100


@dataclass(frozen=True, slots=True)
class RemoteResult:
    """The content of an answer, by the names of the protocol."""

    content: Sequence[Mapping[str, Any]]
    structured: Any
    is_error: bool

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> "RemoteResult":
        return cls(
            answer.get("content", ()), answer.get("structuredContent"), bool(answer.get("isError", False))
        )

    def value(self, tool: str, hide: Callable[[str], str]) -> Any:
        """Returns text, a JSON value, or an artifact where there are bytes; raises `UserError` for a failure.

        `hide` takes the secrets of the entry out of each text.
        """
        text = hide("\n".join(filter(None, map(_text_of, self.content))))
        if self.is_error:
            said = text[:MAX_ERROR_CHARACTERS] or "nothing more"
            raise UserError(f"The tool {tool} failed; it says: {said}", code="tool_failed")
        binary = [hidden(dict(block), hide) for block in self.content if _is_binary(block)]
        structured = None if self.structured is None else hidden(self.structured, hide)
        self._check_size(tool, text, binary, structured)
        if binary:
            return _artifact(tool, text, binary, structured)
        return text if structured is None else structured

    def _check_size(self, tool: str, *parts: Any) -> None:
        if len(json.dumps(parts, ensure_ascii=False).encode("utf-8", "replace")) > MAX_BYTES:
            raise UserError(
                f"The tool {tool} answered more than {MAX_BYTES // 2**20} MiB; ask it for less.",
                code="result_too_large",
            )


def _text_of(block: Mapping[str, Any]) -> str:
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text", ""))
    if kind == "resource_link":
        return f"[{block.get('title') or block.get('name')}]({block.get('uri')})"
    if kind == "resource":
        return str(block.get("resource", {}).get("text", ""))
    return ""


def _is_binary(block: Mapping[str, Any]) -> bool:
    return block.get("type") in _BINARY or "blob" in (block.get("resource") or {})


def _artifact(tool: str, text: str, binary: Sequence[Mapping[str, Any]], structured: Any) -> Artifact:
    first = binary[0].get("resource") or binary[0]
    extra = {"content": list(binary)} | ({} if structured is None else {"structured": structured})
    return Artifact(
        "image" if binary[0].get("type") == "image" else "document",
        tool,
        text,
        content_type=first.get("mimeType"),
        extra=extra,
    )


def hidden(value: Any, hide: Callable[[str], str]) -> Any:
    """Returns the value with secrets taken out of each text, names included."""
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, dict):
        return {hide(name): hidden(one, hide) for name, one in value.items()}
    if isinstance(value, list):
        return [hidden(one, hide) for one in value]
    return value


# They write down addresses, session ids and whatever a server sends; what matters is logged here.
for _name in ("mcp", "client", "httpx2", "httpcore2"):
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)


class CallRefused(Exception):
    """The server answered a call with an error of the protocol; the text is the server's."""


class AnswerTooLarge(Exception):
    """The answer to a call was left unread."""


class AnswerBrokenOff(Exception):
    """The connection ended within the answer to a call."""


class Session:
    """A connected server. Its functions may be called by any task, and cancelled."""

    def __init__(self, client: Client, entry: Entry) -> None:
        self._client = client
        self._entry = entry

    @property
    def protocol(self) -> str:
        return str(self._client.protocol_version)

    async def list_tools(self) -> Listing:
        """Raises `MCPError`, and `ValueError` for an answer that is none."""
        if self._client.server_capabilities.tools is None:
            return Listing({})
        builder, count = ListingBuilder(), 0
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            # The SDK's own `list_tools` keeps the schemas of every tool that was ever there.
            answer = await self._client.session.send_request(
                types.ListToolsRequest(params=types.PaginatedRequestParams(cursor=cursor)),
                types.ListToolsResult,
            )
            await asyncio.to_thread(builder.add, map(self._row, answer.tools))
            count += len(answer.tools)
            cursor = answer.next_cursor
            if cursor is None or count > 2 * MAX_TOOLS:
                break
        return builder.listing(cut=cursor is not None)

    def _row(self, tool: types.Tool) -> tuple[str, str, Mapping[str, Any]]:
        """Returns a tool without secrets of the entry: everybody may read what it says of itself."""
        hide = self._entry.hide_own
        return tool.name, hide(tool.description or ""), hidden(tool.input_schema, hide)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> RemoteResult:
        """Raises `CallRefused`, `AnswerTooLarge` and `AnswerBrokenOff`.

        The SDK's own `call_tool` holds the answer against the server's schema on the event loop, regular
        expressions included; nobody here relies on that schema.
        """
        params = types.CallToolRequestParams(name=tool, arguments=dict(arguments))
        try:
            answer = await self._client.session.send_request(
                types.CallToolRequest(params=params), types.CallToolResult
            )
        except MCPError as error:
            if error.error.code == ANSWER_TOO_LARGE:
                raise AnswerTooLarge from None
            if error.error.code == ANSWER_BROKEN_OFF:
                raise AnswerBrokenOff from None
            raise CallRefused(error.error.message) from None
        except ValueError:
            raise CallRefused("the answer is not one that MCP knows, or asks for more input") from None
        return RemoteResult.of(answer.model_dump(by_alias=True, mode="json", exclude_none=True))


@asynccontextmanager
async def open_session(entry: Entry, watch: SessionWatch, version: str) -> AsyncIterator[Session]:
    """Connects, and ends the session in the task that began it."""

    async def on_message(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            watch.poll.set()

    assert isinstance(entry, StdioEntry | HttpEntry)
    transport = stdio_streams(entry, watch) if isinstance(entry, StdioEntry) else http_streams(entry, watch)
    client = Client(
        transport,
        client_info=types.Implementation(name="guildhall", version=version),
        message_handler=on_message,
        cache=None,
    )
    async with client:
        yield Session(client, entry)
