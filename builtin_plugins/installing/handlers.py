"""`POST /api/plugins/:id/approve`: what a newer version of a plugin adds is let in."""

from typing import Any

from builtin_plugins.installing.approvals import Approvals
from guildhall_sdk import Call, NotFound, Route
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.schema import array, obj, shape, string


async def approve(call: Call) -> dict[str, Any]:
    """Approves all that is held back of a plugin, or what is named of it; a repeat approves nothing more."""
    plugin_id = call.params["id"]
    plugin = next((one for one in call.service(Plugins).statuses() if one.id == plugin_id), None)
    if plugin is None:
        raise NotFound("There is no plugin of this id.")
    async with call.write() as writer:
        done = await call.service(Approvals).approve(writer, plugin, call.body.get("held"))
    return {
        "id": plugin.id,
        "version": plugin.version,
        "approved": list(done.names),
        "held": list(done.held),
    }


ROUTES = (
    Route(
        "POST",
        "/api/plugins/:id/approve",
        approve,
        "Let a plugin do what its newer version adds: permissions, routes, job kinds",
        permission="instance:manage",
        body=obj(
            {
                "held": array(
                    string(max_length=2048),
                    maxItems=10_000,
                    description="Of what `GET /api/plugins` calls held, what to approve; all, unless given",
                )
            },
            example={},
        ),
        reply=shape(
            {
                "id": string(),
                "version": string(description="The one that runs"),
                "approved": array(string(), description="What may be done from now on"),
                "held": array(string(), description="What is still held back"),
            }
        ),
    ),
)
