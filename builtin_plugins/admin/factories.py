"""Names for the conformance tests: features, plugins and tools are the same for every company."""

from guildhall_sdk import Factory, SampleClient


async def a_feature(client: SampleClient, canary: str) -> str:
    return "chat"


async def a_plugin(client: SampleClient, canary: str) -> str:
    """Returns a plugin that a team can switch; where there is none, an id that is none."""
    _, listing = await client.call("GET", "/api/plugins")
    switched = (one for one in listing["items"] if one["status"] == "loaded" and not one["essential"])
    return next((str(one["id"]) for one in switched), "no-plugin-here")


async def a_tool(client: SampleClient, canary: str) -> str:
    """Returns a registered tool; where no plugin brings one, a name that is none."""
    _, listing = await client.call("GET", "/api/tools")
    return next((str(tool["name"]) for tool in listing["items"]), "no_tool_here")


FACTORIES = (
    Factory("/api/features/:name", a_feature, tenant=False),
    Factory("/api/plugins/:id", a_plugin, tenant=False),
    Factory("/api/tools/:name", a_tool, tenant=False),
)
