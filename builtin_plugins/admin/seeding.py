"""Sample content for the caller's team, from every plugin that has some."""

from guildhall_sdk import Call, Reply, Route
from guildhall_sdk.factories import Samples
from guildhall_sdk.schema import anything, integer, shape
from guildhall_sdk.services.description import Plugins
from guildhall_sdk.services.toggles import Features

ROUTES = (
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


async def seed(call: Call) -> Reply:
    """Makes each kind of sample in a transaction of its own; after a refusal a second call goes on there."""
    caller, switches = call.principal, call.service(Features).of(call.principal)
    kinds = [one for plugin_id, one in call.service(Plugins).owned(Samples) if switches.plugin(plugin_id)]
    for samples in kinds:
        call.require(samples.permission)
    answer = {}
    for samples in kinds:
        async with call.write() as writer:
            seeded = await samples.seed(call.host, writer, caller, call.now_ms)
            if seeded.created:
                detail = {samples.name: seeded.created}
                writer.audit("team.seeded", ("team", caller.team_id), detail=detail)
        answer[samples.name] = {"created": seeded.created, "existing": seeded.existing}
    return Reply(answer)


HANDLERS = {"seed": seed}
