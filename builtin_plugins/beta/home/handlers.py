"""HTTP in and out."""

from builtin_plugins.beta.home import preview
from builtin_plugins.beta.home.service import FunnelPages
from guildhall_sdk import NotFound, Reply, RequestContext


async def template(ctx: RequestContext) -> Reply:
    return await ctx.service(FunnelPages).sandboxed(ctx)


async def issue_preview(ctx: RequestContext) -> Reply:
    return Reply(preview.issue(ctx))


async def preview_page(ctx: RequestContext) -> Reply:
    team_id = await preview.team_of(ctx, ctx.params["ticket"])
    if team_id is None:
        raise NotFound()
    return await ctx.service(FunnelPages).preview(ctx, team_id)


HANDLERS = {handler.__name__: handler for handler in (template, issue_preview, preview_page)}
