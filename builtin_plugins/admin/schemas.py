"""What the rows take and answer."""

from guildhall_sdk.schema import anything, array, boolean, enum, listing, nullable, obj, shape, string, time

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

AUDIT_FILTERS = {
    "actor": string(max_length=64, description="What this user did, by id"),
    "action": string(max_length=128, description="Such as token.issued, or the noun alone for all its verbs"),
}
AUDIT_LIST = listing(
    shape(
        {
            "id": string(),
            "at": time(),
            "actor": shape({"id": nullable(string()), "name": string()}),
            "action": string(description="noun.verb, such as login.succeeded"),
            "target": shape({"type": nullable(string()), "id": nullable(string())}),
            "detail": anything(type="object"),
            "request_id": nullable(string()),
        }
    )
)
