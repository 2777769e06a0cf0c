"""The rows of this plugin, what they take and answer, and names for the conformance tests."""

from guildhall_sdk import PAGE_QUERY, Auth, Factory, Route, SampleClient
from guildhall_sdk.schema import (
    anything,
    array,
    boolean,
    enum,
    integer,
    listing,
    nullable,
    obj,
    shape,
    string,
)

SWITCH = obj({"enabled": boolean()}, required=["enabled"], example={"enabled": True})
SWITCHED = shape({"name": string(), "enabled": boolean()})
PLUGIN_SWITCHED = shape({"id": string(), "name": string(), "enabled": boolean()})

HEALTH = obj({"ok": boolean(), "multitenant": boolean()}, required=["ok", "multitenant"])
READY = obj({"ready": boolean()}, required=["ready"])

_LOCALE = shape({"code": string(), "name": string(), "dir": enum("ltr", "rtl")})
CONFIG = shape(
    {
        "home": enum("console", "beta"),
        "multitenant": boolean(),
        "hosted": boolean(),
        "needs_bootstrap": boolean(),
        "version": string(),
        "localization": shape(
            {"default_locale": string(), "locales": array(_LOCALE), "switching": boolean()}
        ),
    }
)

FEATURE_LIST = listing(shape({"name": string(), "description": string(), "enabled": boolean()}))

TOOL_LIST = listing(
    shape(
        {
            "name": string(),
            "description": string(),
            "schema": anything(type="object", description="The function as it is shown to a model"),
            "permission": string(),
            "source": string(description="The plugin that registers it"),
            "enabled": boolean(),
        }
    )
)

PLUGIN_LIST = listing(
    shape(
        {
            "id": string(),
            "name": string(),
            "version": string(description="The one that runs"),
            "installed_version": nullable(
                string(description="The one that a restart loads; null where it is not installed any more")
            ),
            "description": string(),
            "source": enum("builtin", "directory", "entry-point"),
            "status": enum("loaded", "quarantined", "blocked"),
            "reason": nullable(string()),
            "essential": boolean(description="No team can switch it off"),
            "enabled": boolean(description="For the caller's team"),
            "held": array(
                string(),
                description="What a newer version added, held back until an operator approves it",
            ),
            "tools": array(string()),
            "workflows": array(string()),
            "routes": array(
                shape(
                    {
                        "method": string(),
                        "path": string(),
                        "permission": nullable(string()),
                        "doc": string(),
                    }
                )
            ),
            "job_kinds": array(
                shape(
                    {
                        "name": string(),
                        "remote": boolean(),
                        "public": boolean(description="POST /api/jobs takes it; others are the plugin's own"),
                    }
                )
            ),
        }
    )
)


ROUTES = (
    Route("GET", "/health", "health", "Whether the server is up", Auth.PUBLIC, reply=HEALTH),
    Route(
        "GET",
        "/ready",
        "ready",
        "Whether the server can do its work now: not while it starts or stops, nor without database or disk",
        Auth.PUBLIC,
        reply=READY,
    ),
    Route(
        "GET",
        "/api/config",
        "config",
        "Public configuration of the instance",
        Auth.PUBLIC,
        reply=CONFIG,
    ),
    Route(
        "GET",
        "/api/tools",
        "tools",
        "Registered tools, and whether each is on for the team",
        query=PAGE_QUERY,
        reply=TOOL_LIST,
    ),
    Route(
        "POST",
        "/api/tools/:name",
        "switch_tool",
        "Turn a tool on or off for the team",
        permission="settings:manage",
        body=SWITCH,
        reply=SWITCHED,
    ),
    Route("GET", "/api/features", "features", "The team's feature flags", reply=FEATURE_LIST),
    Route(
        "POST",
        "/api/features/:name",
        "switch_feature",
        "Turn a feature on or off for the team",
        permission="settings:manage",
        body=SWITCH,
        reply=SWITCHED,
    ),
    Route(
        "GET",
        "/api/plugins",
        "plugins",
        "Every plugin with its state, what it brings and whether it is on for the team",
        reply=PLUGIN_LIST,
    ),
    Route(
        "POST",
        "/api/plugins/:id",
        "switch_plugin",
        "Turn a plugin that is not essential on or off for the team",
        permission="settings:manage",
        body=SWITCH,
        reply=PLUGIN_SWITCHED,
    ),
)
SAMPLE_ROUTES = (
    Route(
        "POST",
        "/api/admin/seed",
        "seed",
        "Give the caller's team sample content; what it has already is left as it is",
        permission="settings:manage",
        reply=anything(
            type="object",
            description="By kind, such as notes",
            additionalProperties=shape({"created": integer(0), "existing": integer(0)}),
        ),
    ),
)


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
