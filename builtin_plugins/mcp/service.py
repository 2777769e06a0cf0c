"""All MCP servers of the settings, and what an operator has approved of their tools.

Where there are none, what they need is not imported: a server without them starts as if this were not there.
"""

from collections.abc import Collection, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guildhall_sdk import (
    Conflict,
    Host,
    InvalidRequest,
    Principal,
    Problem,
    Reader,
    Setting,
    Tool,
    Writer,
    load_queries,
)
from guildhall_sdk.errors import PreconditionFailed, ToolNeedsApproval
from guildhall_sdk.settings import path
from guildhall_sdk.tools import Tools
from libs.names import is_foreign_tool_of

if TYPE_CHECKING:
    from builtin_plugins.mcp.definitions import Approved, Change, Definition, Refusal, ServerTools
    from builtin_plugins.mcp.entries import Entry
    from builtin_plugins.mcp.server import McpServer

sql = load_queries(Path(__file__).with_name("queries.sql"))
SOURCE = "mcp"
PERMISSION = "chat:use"
_MAX_DESCRIPTION = 4_000
_MAX_AUDITED = 50
#: Whether this process itself has just asked for the tools to be offered anew.
_REFRESHING: ContextVar[bool] = ContextVar("mcp_refreshing", default=False)


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


class McpServers:
    """Each in a task of its own: one that dies takes nothing with it."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._refused: Mapping[str, str] = {}
        # Whether the tools were asked for in vain, as while the database is away.
        self._stale = False
        self.servers: Mapping[str, McpServer] = self._from_file()

    def _from_file(self) -> "Mapping[str, McpServer]":
        host = self._host
        file = host.setting(SERVERS)
        if file is None:
            return {}
        from builtin_plugins.mcp.server import McpServer

        return {
            entry.name: McpServer(entry, host.clock, host.settings.version, self._on_listed)
            for entry in file.entries
        }

    def start(self) -> None:
        for server in self.servers.values():
            self._host.background(f"the MCP server {server.entry.name}", server.run)

    async def _on_listed(self, changed: bool) -> None:
        if changed or self._stale:
            await self.refresh()

    def _set_stale(self) -> None:
        self._stale = True

    async def refresh(self) -> None:
        """Offers the tools anew, here and in the other processes."""
        self._set_stale()
        token = _REFRESHING.set(True)
        try:
            self._refused = await self._host.service(Tools).refresh(SOURCE)
        finally:
            _REFRESHING.reset(token)

    async def catalogue(self, reader: Reader) -> "Mapping[str, ServerTools]":
        """Returns what each server offers now, held against what was approved."""
        if not self.servers:
            return {}
        from builtin_plugins.mcp.definitions import Approved, Definition, catalogue

        rows = await reader.all(sql.approved)
        approved = [
            Approved(
                row["server"],
                row["name"],
                Definition(row["original"], row["description"], row["input_schema"], row["digest"]),
            )
            for row in rows
        ]
        listings = {name: server.listing for name, server in self.servers.items()}
        return catalogue(listings, approved)

    async def offered(self) -> Sequence[Tool]:
        if not self.servers:
            return ()
        if not _REFRESHING.get():
            for server in self.servers.values():
                server.poll_soon()
        async with self._host.data.read() as reader:
            found = await self.catalogue(reader)
        self._stale = False
        return [self._tool(one) for tools in found.values() for one in tools.offered]

    def missing(self, name: str) -> Problem | None:
        """Returns why a tool of this name is not offered; None for one that no server has."""
        for server in self.servers.values():
            if not is_foreign_tool_of(name, SOURCE, server.entry.name):
                continue
            if server.listing is None:
                return server.absence(name)
            if any(name == server.name_of(original) for original in server.listing.definitions):
                return ToolNeedsApproval(name)
        return None

    def _tool(self, one: "Approved") -> Tool:
        definition = one.definition
        description = definition.description
        if len(description) > _MAX_DESCRIPTION:
            description = f"{description[:_MAX_DESCRIPTION]} …"
        return Tool(
            one.name,
            description,
            PERMISSION,
            hosted=_Calling(self.servers[one.server], definition).__call__,
            schema=definition.arguments(),
        )

    def refusals(self, tools: "ServerTools") -> "Sequence[Refusal]":
        """Returns the refusals of the listing, and of the registry of tools."""
        from builtin_plugins.mcp.definitions import Refusal

        late = [
            Refusal(one.definition.original, self._refused[one.name])
            for one in tools.offered
            if one.name in self._refused
        ]
        return [*tools.refused, *late]

    async def approve(
        self,
        writer: Writer,
        caller: Principal,
        name: str,
        wanted: Collection[str] | None,
        revision: str | None = None,
    ) -> None:
        """Takes the tools as they are now; without `wanted`, all that wait."""
        await writer.serialize("mcp-approval")
        server, tools = self.servers[name], (await self.catalogue(writer))[name]
        if server.listing is None:
            raise Conflict(
                f"The MCP server {name} has not been there yet; what it offers is not known.",
                code="not_connected",
            )
        if revision is not None and revision != tools.revision:
            raise PreconditionFailed("Something else waits for approval than you have read.")
        changes = _chosen(tools, wanted)
        for one in changes:
            await self._record(writer, caller, name, one)
        if changes:
            # Should nobody get to refresh after this, the next look at a server does.
            writer.after_commit(self._set_stale)
            detail: dict[str, Any] = {"count": len(changes)}
            detail["tools"] = [{"tool": one.name, "what": one.what} for one in changes[:_MAX_AUDITED]]
            writer.audit("mcp.approved", ("mcp_server", name), detail=detail)

    async def _record(self, writer: Writer, caller: Principal, server: str, change: "Change") -> None:
        if change.after is None:
            await writer.run(sql.forget, server=server, original=change.original)
            return
        await writer.run(sql.free_name, name=change.name, server=server, original=change.original)
        await writer.run(
            sql.approve,
            server=server,
            original=change.original,
            name=change.name,
            description=change.after.description,
            input_schema=change.after.schema,
            digest=change.after.digest,
            now=self._host.clock.now_ms(),
            user_id=caller.user_id,
        )


class _Calling:
    """A tool's `hosted` function; `Tool` wants one that is async by itself, so it is the bound method."""

    def __init__(self, server: "McpServer", definition: "Definition") -> None:
        self._server = server
        self._definition = definition

    async def __call__(self, host: Host, principal: Principal, arguments: Mapping[str, Any]) -> Any:
        one = self._definition
        return await self._server.call(principal.org_id, one.original, one.digest, arguments)


def _chosen(tools: "ServerTools", wanted: Collection[str] | None) -> "Sequence[Change]":
    """Chooses tools by either name; raises `InvalidRequest` for one that the server does not have."""
    if wanted is None:
        return tools.changes
    known = {*tools.names, *tools.names.values()} | {
        name for one in tools.changes for name in (one.name, one.original)
    }
    for place, name in enumerate(wanted):
        if name not in known:
            refused = next((one.reason for one in tools.refused if one.original == name), None)
            raise InvalidRequest(
                f"The server has no tool {name[:130]!r} to approve" + (f": {refused}." if refused else "."),
                code="unknown_tool",
                errors=[{"pointer": f"/tools/{place}", "message": "there is no such tool"}],
            )
    chosen = frozenset(wanted)
    return [one for one in tools.changes if one.name in chosen or one.original in chosen]
