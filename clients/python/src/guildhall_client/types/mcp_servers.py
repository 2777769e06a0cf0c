"""What the API says about mcp servers."""

from typing import Any, Literal, TypedDict


class McpServerChangeAfter(TypedDict):
    description: str
    schema: Any


class McpServerChange(TypedDict):
    after: McpServerChangeAfter | None
    before: McpServerChangeAfter | None
    original: str
    tool: str
    what: Literal["added", "changed", "removed"]


class McpServerRefused(TypedDict):
    reason: str
    tool: str


class McpServerTool(TypedDict):
    approved: bool
    name: str
    original: str


class McpServer(TypedDict):
    changes: list[McpServerChange]
    detail: str | None
    name: str
    protocol: str | None
    refused: list[McpServerRefused]
    #: Of what waits for approval; may be sent back as If-Match
    revision: str
    since: str
    status: Literal["connected", "connecting", "down", "needs_approval"]
    tools: list[McpServerTool]
    transport: Literal["stdio", "http"]


class McpServerPage(TypedDict):
    items: list[McpServer]
    next_cursor: str | None


__all__ = [
    "McpServer",
    "McpServerChange",
    "McpServerChangeAfter",
    "McpServerPage",
    "McpServerRefused",
    "McpServerTool",
]
