"""The rows of this plugin."""

from builtin_plugins.admin import schemas
from guildhall_sdk import PAGE_QUERY, Auth, Route

ROUTES = (
    Route("GET", "/health", "health", "Whether the server is up", Auth.PUBLIC, reply=schemas.HEALTH),
    Route(
        "GET",
        "/ready",
        "ready",
        "Whether the server can do its work now: not while it starts or stops, nor without database or disk",
        Auth.PUBLIC,
        reply=schemas.READY,
    ),
    Route(
        "GET",
        "/api/config",
        "config",
        "Public configuration of the instance",
        Auth.PUBLIC,
        reply=schemas.CONFIG,
    ),
    Route(
        "GET",
        "/api/org/audit",
        "org_audit",
        "The company's audit trail, newest first",
        Auth.ORG_ADMIN,
        "org:read",
        query=PAGE_QUERY,
        reply=schemas.AUDIT_LIST,
    ),
    Route(
        "GET",
        "/api/tools",
        "tools",
        "Registered tools, and whether each is on for the team",
        reply=schemas.TOOL_LIST,
    ),
    Route(
        "POST",
        "/api/tools/:name",
        "switch_tool",
        "Turn a tool on or off for the team",
        permission="settings:manage",
        body=schemas.SWITCH,
        reply=schemas.SWITCHED,
    ),
    Route(
        "GET",
        "/api/audit",
        "team_audit",
        "The team's audit trail, newest first",
        permission="settings:manage",
        query=PAGE_QUERY,
        reply=schemas.AUDIT_LIST,
    ),
    Route("GET", "/api/features", "features", "The team's feature flags", reply=schemas.FEATURE_LIST),
    Route(
        "POST",
        "/api/features/:name",
        "switch_feature",
        "Turn a feature on or off for the team",
        permission="settings:manage",
        body=schemas.SWITCH,
        reply=schemas.SWITCHED,
    ),
    Route(
        "GET",
        "/api/plugins",
        "plugins",
        "Every plugin with its state and what it brings",
        reply=schemas.PLUGIN_LIST,
    ),
)
