"""Executors over HTTP."""

from collections.abc import Sequence
from typing import Any

from builtin_plugins.executors.health import probe_endpoint, store_report
from builtin_plugins.executors.service import StoredExecutors
from guildhall_sdk import (
    NotFound,
    Principal,
    Reader,
    Reply,
    RequestContext,
    created,
    cut_page,
    no_content,
    page,
    page_bounds,
    rfc3339,
)
from guildhall_sdk.services import Executor, Executors, NewExecutor


async def list_executors(ctx: RequestContext) -> Reply:
    after, fetched = page_bounds(ctx.query)
    executors, caller = ctx.service(Executors), ctx.principal
    async with ctx.read() as reader:
        found = await _visible(ctx, reader, executors)
    rest = [one for one in found if after is None or one.order > after]
    visible, next_cursor = cut_page(rest, fetched, lambda one: one.order)
    return page([_executor_json(one, caller) for one in visible], next_cursor)


async def create_executor(ctx: RequestContext) -> Reply:
    return await _create(ctx, NewExecutor(**ctx.body), by_operator=True)


async def create_company_executor(ctx: RequestContext) -> Reply:
    """Makes an executor of the company's own, whoever asks, which lives where one may."""
    new = NewExecutor(**ctx.body, org_id=ctx.principal.org_id)
    return await _create(ctx, new, by_operator=False)


async def retire_executor(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        if not await ctx.service(Executors).retire(writer, ctx.params["id"]):
            raise NotFound
    return no_content()


async def probe_executor(ctx: RequestContext) -> Reply:
    """Probes an endpoint with a turn that is not metered: its owner pays for it."""
    executors = ctx.service(Executors)
    assert isinstance(executors, StoredExecutors)
    async with ctx.read() as reader:
        executor = await _executor_to_manage(ctx, reader, executors)
        endpoint = await executors.push_endpoint(reader, executor.id)
        if endpoint is None:
            # A worker that pulls, and the simulated model, have no address to look at.
            return Reply({"health": executor.health.public(), "quirks": {}, "turn": None})
        key = await executors.key_of(reader, endpoint)
    report = await probe_endpoint(executors, endpoint, key, executor.quirks)
    async with ctx.write() as writer:
        health = await store_report(executors, writer, ctx.host.clock, endpoint, report)
    return Reply(report.public(health))


async def _executor_to_manage(ctx: RequestContext, reader: Reader, executors: Executors) -> Executor:
    found = next((one for one in await _visible(ctx, reader, executors) if one.id == ctx.params["id"]), None)
    if found is None:
        raise NotFound
    if found.org_id != ctx.principal.org_id:
        ctx.require("instance:manage")
    return found


async def _visible(ctx: RequestContext, reader: Reader, executors: Executors) -> Sequence[Executor]:
    if ctx.principal.may("instance:manage"):
        return await executors.all(reader)
    return await executors.offered_to(reader, ctx.principal.org_id)


async def _create(ctx: RequestContext, new: NewExecutor, *, by_operator: bool) -> Reply:
    executors = ctx.service(Executors)
    admitted = await executors.admit(new, by_operator=by_operator)
    async with ctx.write() as writer:
        executor, token = await executors.create(writer, admitted, ctx.principal.credential)
    body = _executor_json(executor, ctx.principal)
    location = f"/api/executors/{executor.id}"
    if token is None:
        return created(body, location)
    ends = ctx.principal.credential.bound_end(None, asked=False)
    until = {} if ends is None else {"worker_token_expires_at": rfc3339(ends)}
    return created({**body, "worker_token": token, **until}, location, secret_id=executor.id)


def _executor_json(executor: Executor, caller: Principal) -> dict[str, Any]:
    theirs = executor.org_id == caller.org_id and caller.may("org:manage")
    return executor.public(with_url=theirs or caller.may("instance:manage"))


HANDLERS = {
    handler.__name__: handler
    for handler in (
        list_executors,
        create_executor,
        create_company_executor,
        retire_executor,
        probe_executor,
    )
}
