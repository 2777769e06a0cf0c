"""MCP servers over HTTP."""

import asyncio
from typing import TYPE_CHECKING, Any

from builtin_plugins.mcp.service import McpServers
from guildhall_sdk import Call, NotFound, Principal, Reply, cut_page, page, page_bounds, rfc3339

if TYPE_CHECKING:
    from builtin_plugins.mcp.catalogue import ServerTools
    from builtin_plugins.mcp.server import McpServer


async def list_mcp_servers(call: Call) -> Reply:
    after, fetched = page_bounds(call.query)
    servers = call.service(McpServers)
    names = [name for name in sorted(servers.servers) if after is None or name > after]
    visible, next_cursor = cut_page(names, fetched, lambda name: name)
    async with call.read() as reader:
        found = await servers.catalogue(reader) if visible else {}
    items = await asyncio.to_thread(
        lambda: [
            _server_json(servers, servers.servers[name], found[name], call.principal) for name in visible
        ]
    )
    return page(items, next_cursor)


async def approve_mcp_tools(call: Call) -> Reply:
    servers, name = call.service(McpServers), call.params["name"]
    if name not in servers.servers:
        raise NotFound
    revision = call.headers.get("if-match", "*").strip().strip('"')
    async with call.write() as writer:
        await servers.approve(
            writer, call.principal, name, call.body.get("tools"), None if revision == "*" else revision
        )
    await servers.refresh()
    async with call.read() as reader:
        found = await servers.catalogue(reader)
    return Reply(_server_json(servers, servers.servers[name], found[name], call.principal))


def _server_json(
    servers: McpServers, server: "McpServer", tools: "ServerTools", caller: Principal
) -> dict[str, Any]:
    """`detail` may repeat what a child wrote before it died: it is for operators."""
    waits = server.status == "connected" and tools.changes
    approved = {one.definition.original for one in tools.offered}
    return {
        "name": server.entry.name,
        "transport": server.entry.transport,
        "status": "needs_approval" if waits else server.status,
        "detail": server.detail if caller.may("instance:manage") else None,
        "since": rfc3339(server.since_ms),
        "protocol": server.protocol,
        "tools": [
            {"name": name, "original": original, "approved": original in approved}
            for original, name in tools.names.items()
        ],
        "changes": [one.public() for one in tools.changes],
        "refused": [{"tool": one.original, "reason": one.reason} for one in servers.refusals(tools)],
        "revision": tools.revision,
    }


HANDLERS = {handler.__name__: handler for handler in (list_mcp_servers, approve_mcp_tools)}
