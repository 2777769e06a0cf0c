"""What an operator decides about MCP servers."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from guildhall_sdk import Setting
from guildhall_sdk.settings import path

if TYPE_CHECKING:
    from builtin_plugins.mcp.entries import Entry


@dataclass(frozen=True, slots=True)
class ServerFile:
    """What a file names; its text is where it is."""

    path: str
    entries: "Sequence[Entry]"

    def __str__(self) -> str:
        return self.path


def server_file(given: str) -> ServerFile:
    """Reads the file. The MCP SDK is looked for, and not imported."""
    from builtin_plugins.mcp.entries import read_entries

    found = read_entries(path(given))
    if found and find_spec("mcp") is None:
        raise ValueError("needs the MCP SDK: pip install 'guildhall-server[mcp]'")
    return ServerFile(given, found)


SERVERS: Setting[ServerFile | None] = Setting(
    name="servers",
    variable="SERVICE_MCP",
    help="path of a file of MCP servers, in the usual mcpServers form",
    default=None,
    parse=server_file,
)
SETTINGS: Sequence[Setting[Any]] = (SERVERS,)
