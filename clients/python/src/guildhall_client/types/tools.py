"""What the API says about tools."""

from typing import Any, TypedDict


class Tool(TypedDict):
    description: str
    enabled: bool
    name: str
    permission: str
    #: The function as it is shown to a model
    schema: dict[str, Any]
    #: The plugin that registers it
    source: str


class ToolPage(TypedDict):
    items: list[Tool]
    next_cursor: str | None


class ToolSetReply(TypedDict):
    enabled: bool
    name: str


__all__ = ["Tool", "ToolPage", "ToolSetReply"]
