"""HTTP in and out."""

from builtin_plugins.beta.home import preview
from builtin_plugins.beta.home.service import FunnelPages
from guildhall_sdk import Call, NotFound, Reply


async def template(call: Call) -> Reply:
    return await call.service(FunnelPages).sandboxed(call)


async def issue_preview(call: Call) -> Reply:
    return Reply(preview.issue(call))


async def preview_page(call: Call) -> Reply:
    team_id = await preview.team_of(call, call.params["ticket"])
    if team_id is None:
        raise NotFound()
    return await call.service(FunnelPages).preview(call, team_id)


HANDLERS = {handler.__name__: handler for handler in (template, issue_preview, preview_page)}
