"""Names for the conformance tests: MCP servers are the operator's, the same for every company."""

from guildhall_sdk import Factory, SampleClient


async def a_server(client: SampleClient, canary: str) -> str:
    """Any that there is; without `SERVICE_MCP`, a name that is none."""
    _, listing = await client.call("GET", "/api/mcp")
    return next((str(one["name"]) for one in listing["items"]), "no-server-here")


FACTORIES = (Factory("/api/mcp/:name", a_server, tenant=False),)
