"""What an operator decides about MCP servers."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from builtin_plugins.mcp.entries import Entry, read_entries
from guildhall_sdk import Setting
from guildhall_sdk.settings import path


def entries(given: str) -> Sequence[Entry]:
    """Those of the file. The MCP SDK is looked for, and not imported."""
    found = read_entries(path(given))
    if found and find_spec("mcp") is None:
        raise ValueError("needs the MCP SDK: pip install 'guildhall-server[mcp]'")
    return found


SERVERS: Setting[Sequence[Entry]] = Setting(
    name="servers",
    variable="SERVICE_MCP",
    help="path of a file of MCP servers, in the usual mcpServers form",
    default=(),
    parse=entries,
)
SETTINGS: Sequence[Setting[Any]] = (SERVERS,)
