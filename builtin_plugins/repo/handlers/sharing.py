"""Grants and visibility."""

from builtin_plugins.repo import finding, grants
from builtin_plugins.repo.handlers.preconditions import check_if_match, object_reply, repository
from builtin_plugins.repo.rights import MANAGE
from guildhall_sdk import Call, Reply, page_bounds


async def share_object(call: Call) -> Reply:
    async with call.write() as writer:
        record = await grants.hold_managed(writer, call.principal, call.params["id"], call.now_ms)
        check_if_match(call, record)
        holder, capability = grants.holder_in(call.body), grants.capability_in(call.body)
        ends = grants.end_in(call.body, call.now_ms)
        await grants.share(writer, call.principal, record, holder, capability, ends, call.now_ms)
        return await grants.page_of_grants(writer, record, call.now_ms)


async def unshare_object(call: Call) -> Reply:
    async with call.write() as writer:
        record = await grants.hold_managed(writer, call.principal, call.params["id"], call.now_ms)
        check_if_match(call, record)
        await grants.unshare(writer, record, grants.holder_in(call.body), call.now_ms)
        return await grants.page_of_grants(writer, record, call.now_ms)


async def list_grants(call: Call) -> Reply:
    async with call.read() as reader:
        record = await finding.by_id(reader, call.principal, call.params["id"], call.now_ms)
        record.require(MANAGE, call.principal)
        return await grants.page_of_grants(reader, record, call.now_ms, *page_bounds(call.query))


async def set_visibility(call: Call) -> Reply:
    caller = call.principal
    async with call.write() as writer:
        record = await grants.hold_managed(writer, caller, call.params["id"], call.now_ms)
        check_if_match(call, record)
        record.judge_visibility(caller, call.body["visibility"])
        await repository(call).set_visibility(writer, record, call.body["visibility"])
        changed = await finding.by_id(writer, caller, record.id, call.now_ms)
        return await object_reply(writer, caller, changed)


async def list_share_targets(call: Call) -> Reply:
    async with call.read() as reader:
        return Reply(await grants.targets(reader, call.principal))
