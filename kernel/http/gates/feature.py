"""Are the feature and the plugin on for this team? What the team switched came with the caller."""

from guildhall_sdk import Auth, FeatureDisabled
from guildhall_sdk.services import Features
from kernel.http.context import Context


def check_feature(ctx: Context) -> None:
    bound = ctx.bound
    if not ctx.signed_in or bound.row.auth is Auth.PUBLIC:
        return
    if bound.row.feature is None and ctx.principal.switches is None:
        return
    off = ctx.service(Features).of(ctx.principal).switched_off(bound.plugin_id, bound.row.feature)
    if off is not None:
        raise FeatureDisabled(off)


async def check_feature_again(ctx: Context) -> None:
    """For an answer that goes on: what the team has switched since the caller came counts."""
    bound = ctx.bound
    if not ctx.signed_in or bound.row.auth is Auth.PUBLIC:
        return
    async with ctx.read() as reader:
        switches = await ctx.service(Features).of_team(reader, ctx.principal.team_id)
    off = switches.switched_off(bound.plugin_id, bound.row.feature)
    if off is not None:
        raise FeatureDisabled(off)
