"""The rows of MCP servers, their bodies and answers, and names for the conformance tests."""

from guildhall_sdk import PAGE_QUERY, Factory, Route, SampleClient
from guildhall_sdk.schema import anything, array, boolean, enum, listing, nullable, obj, shape, string, time

APPROVE = obj(
    {
        "tools": array(
            string(min_length=1, max_length=200),
            maxItems=1000,
            description="By name; without it all that wait",
        )
    },
    example={"tools": ["mcp__time__get_current_time"]},
)

_definition = nullable(shape({"description": string(), "schema": anything()}))
SERVER = shape(
    {
        "name": string(),
        "transport": enum("stdio", "http"),
        "status": enum("connected", "connecting", "down", "needs_approval"),
        "detail": nullable(string(description="Why it is down; for operators")),
        "since": time(),
        "protocol": nullable(string()),
        "tools": array(shape({"name": string(), "original": string(), "approved": boolean()})),
        "changes": array(
            shape(
                {
                    "tool": string(),
                    "original": string(),
                    "what": enum("added", "changed", "removed"),
                    "before": _definition,
                    "after": _definition,
                }
            )
        ),
        "refused": array(shape({"tool": string(), "reason": string()})),
        "revision": string(description="Of what waits for approval; may be sent back as If-Match"),
    }
)
SERVERS = listing(SERVER)

ROUTES = (
    Route(
        "GET",
        "/api/mcp",
        "list_mcp_servers",
        "The MCP servers of the settings, as the process that answers sees them.",
        query=PAGE_QUERY,
        reply=SERVERS,
    ),
    Route(
        "POST",
        "/api/mcp/:name/approve",
        "approve_mcp_tools",
        "Approve tools of an MCP server as they are now: all that wait, or those that are named.",
        permission="instance:manage",
        body=APPROVE,
        reply=SERVER,
    ),
)


async def a_server(client: SampleClient, canary: str) -> str:
    """Returns the name of any server; without `SERVICE_MCP`, a name that is none."""
    _, listing = await client.call("GET", "/api/mcp")
    return next((str(one["name"]) for one in listing["items"]), "no-server-here")


FACTORIES = (Factory("/api/mcp/:name", a_server, tenant=False),)
