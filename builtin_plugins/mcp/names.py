"""The name of an MCP server's tool among all tools."""

import hashlib
import re

MAX_NAME = 64
_KEPT = 53
_OTHER = re.compile(r"[^a-z0-9_]")


def tool_name(server: str, tool: str) -> str:
    """`mcp__<server>__<tool>` in small letters; a long one ends in a digest of the whole."""
    whole = f"mcp__{_plain(server)}__{_plain(tool)}"
    if len(whole) <= MAX_NAME:
        return whole
    return f"{whole[:_KEPT]}_{hashlib.sha256(whole.encode()).hexdigest()[:10]}"


def _plain(text: str) -> str:
    return _OTHER.sub("_", text.lower())
