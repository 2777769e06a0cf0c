"""Grants and visibility."""

from builtin_plugins.repo import finding, grants
from builtin_plugins.repo.handlers.preconditions import check_if_match, object_reply, repository
from builtin_plugins.repo.rights import MANAGE
from guildhall_sdk import Reply, RequestContext, page_bounds


async def share_object(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        record = await grants.hold_managed(writer, ctx.principal, ctx.params["id"], ctx.now_ms)
        check_if_match(ctx, record)
        holder, capability = grants.holder_in(ctx.body), grants.capability_in(ctx.body)
        ends = grants.end_in(ctx.body, ctx.now_ms)
        await grants.share(writer, ctx.principal, record, holder, capability, ends, ctx.now_ms)
        return await grants.page_of_grants(writer, record, ctx.now_ms)


async def unshare_object(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        record = await grants.hold_managed(writer, ctx.principal, ctx.params["id"], ctx.now_ms)
        check_if_match(ctx, record)
        await grants.unshare(writer, record, grants.holder_in(ctx.body), ctx.now_ms)
        return await grants.page_of_grants(writer, record, ctx.now_ms)


async def list_grants(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        record = await finding.by_id(reader, ctx.principal, ctx.params["id"], ctx.now_ms)
        record.require(MANAGE, ctx.principal)
        return await grants.page_of_grants(reader, record, ctx.now_ms, *page_bounds(ctx.query))


async def set_visibility(ctx: RequestContext) -> Reply:
    caller = ctx.principal
    async with ctx.write() as writer:
        record = await grants.hold_managed(writer, caller, ctx.params["id"], ctx.now_ms)
        check_if_match(ctx, record)
        record.judge_visibility(caller, ctx.body["visibility"])
        await repository(ctx).set_visibility(writer, record, ctx.body["visibility"])
        changed = await finding.by_id(writer, caller, record.id, ctx.now_ms)
        return await object_reply(writer, caller, changed)


async def list_share_targets(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        return Reply(await grants.targets(reader, ctx.principal))
