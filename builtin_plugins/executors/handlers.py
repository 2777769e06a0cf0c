"""Executors over HTTP."""

from collections.abc import Sequence
from typing import Any

from builtin_plugins.executors.health import probe_endpoint, store_report
from builtin_plugins.executors.records import NewExecutor, order_of, public
from builtin_plugins.executors.service import StoredExecutors, stored_executors
from guildhall_sdk import (
    Call,
    NotFound,
    Principal,
    Reader,
    Reply,
    created,
    cut_page,
    no_content,
    page,
    page_bounds,
    rfc3339,
)
from guildhall_sdk.services.models import Executor


async def list_executors(call: Call) -> Reply:
    after, fetched = page_bounds(call.query)
    executors, caller = stored_executors(call.host), call.principal
    async with call.read() as reader:
        found = await _visible(call, reader, executors)
    rest = [one for one in found if after is None or order_of(one) > after]
    visible, next_cursor = cut_page(rest, fetched, order_of)
    return page([_executor_json(one, caller) for one in visible], next_cursor)


async def create_executor(call: Call) -> Reply:
    return await _create(call, NewExecutor(**call.body), by_operator=True)


async def create_company_executor(call: Call) -> Reply:
    """Makes an executor of the company's own, whoever asks, which lives where one may."""
    new = NewExecutor(**call.body, org_id=call.principal.org_id)
    return await _create(call, new, by_operator=False)


async def retire_executor(call: Call) -> Reply:
    async with call.write() as writer:
        if not await stored_executors(call.host).retire(writer, call.params["id"]):
            raise NotFound
    return no_content()


async def probe_executor(call: Call) -> Reply:
    """Probes an endpoint with a turn that is not metered: its owner pays for it."""
    executors = stored_executors(call.host)
    async with call.read() as reader:
        executor = await _executor_to_manage(call, reader, executors)
        endpoint = await executors.push_endpoint(reader, executor.id)
        if endpoint is None:
            # A worker that pulls, and the simulated model, have no address to look at.
            return Reply({"health": executor.health.public(), "quirks": {}, "turn": None})
        key = await executors.key_of(reader, endpoint)
    report = await probe_endpoint(executors, endpoint, key, executor.quirks)
    async with call.write() as writer:
        health = await store_report(executors, writer, call.host.clock, endpoint, report)
    return Reply(report.public(health))


async def _executor_to_manage(call: Call, reader: Reader, executors: StoredExecutors) -> Executor:
    found = next(
        (one for one in await _visible(call, reader, executors) if one.id == call.params["id"]), None
    )
    if found is None:
        raise NotFound
    if found.org_id != call.principal.org_id:
        call.require("instance:manage")
    return found


async def _visible(call: Call, reader: Reader, executors: StoredExecutors) -> Sequence[Executor]:
    if call.principal.may("instance:manage"):
        return await executors.all(reader)
    return await executors.offered_to(reader, call.principal.org_id)


async def _create(call: Call, new: NewExecutor, *, by_operator: bool) -> Reply:
    executors = stored_executors(call.host)
    admitted = await executors.admit(new, by_operator=by_operator)
    async with call.write() as writer:
        executor, token = await executors.create(writer, admitted, call.principal.credential)
    body = _executor_json(executor, call.principal)
    location = f"/api/executors/{executor.id}"
    if token is None:
        return created(body, location)
    ends = call.principal.credential.bound_end(None, asked=False)
    until = {} if ends is None else {"worker_token_expires_at": rfc3339(ends)}
    return created({**body, "worker_token": token, **until}, location, secret_id=executor.id)


def _executor_json(executor: Executor, caller: Principal) -> dict[str, Any]:
    theirs = executor.org_id == caller.org_id and caller.may("org:manage")
    return public(executor, with_url=theirs or caller.may("instance:manage"))


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
