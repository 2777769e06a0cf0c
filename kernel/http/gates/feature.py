"""Is the feature on for this team?"""

from guildhall_sdk import FeatureDisabled
from guildhall_sdk.services import Features
from kernel.http.context import Context


async def check_feature(ctx: Context) -> None:
    feature = ctx.bound.row.feature
    if feature is None:
        return
    async with ctx.read() as reader:
        enabled = await ctx.service(Features).enabled(reader, ctx.principal.team_id, feature)
    if not enabled:
        raise FeatureDisabled(feature)
