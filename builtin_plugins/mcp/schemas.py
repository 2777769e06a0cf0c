"""MCP servers as they are shown, and what is asked for."""

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
