"""Hosted mode: the host provisions one tenant, whose owner then lets themself in."""

from pathlib import Path
from typing import Any

from builtin_plugins.companies import links
from builtin_plugins.companies.founding import FIRST_TEAM, NewCompany, NewOwner, found
from builtin_plugins.companies.links import Tenant
from builtin_plugins.companies.presentation import org_json, tenant_json
from builtin_plugins.companies.schemas import check_names, given_plan
from guildhall_sdk import (
    Actor,
    Call,
    Conflict,
    Reader,
    Reply,
    TooManyRequests,
    created,
    load_queries,
    new_id,
    rfc3339,
)
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.tenancy import Directory
from libs.addresses import address_key

ACTIVATION_MS = 72 * 3600 * 1000
_DEFAULT_COMPANY = "My company"
FAILURE_WINDOW_MS = 15 * 60 * 1000
FAILURES_PER_ADDRESS = 10
_SWEPT_PER_FAILURE = 100

_guesses = load_queries(Path(__file__).with_name("provision_guesses.sql"))


async def provision(call: Call) -> Reply:
    """Provisions the instance; of any number of callers one succeeds, ever."""
    body, directory = call.body, call.service(Directory)
    async with call.read() as reader:
        if await directory.has_users(reader):
            raise _already_provisioned()
    check_names(body, "username", "org", "team", "display_name", "locale")
    plan = given_plan(call)
    async with call.write() as writer:
        if not await directory.claim_instance(writer):
            raise _already_provisioned()
        founded = await found(
            writer,
            call.host,
            _host(call),
            NewCompany(
                name=body.get("org", _DEFAULT_COMPANY),
                plan=plan,
                team=body.get("team", FIRST_TEAM),
                owner=NewOwner(body["username"], body.get("display_name"), body.get("locale")),
            ),
        )
        tenant = Tenant(founded.org.id, founded.team.id, founded.owner.id)
        await links.settle_in(writer, tenant, call.now_ms)
        activation = await links.make(writer, call.host, founded.owner, "invitation", lasts_ms=ACTIVATION_MS)
        writer.audit("tenant.provisioned", ("user", founded.owner.id), actor=_host(call, tenant))
    answer = {
        "user": {**founded.owner.public(), "org_role": founded.owner.org_role},
        "org": org_json(founded.org),
        "team": {**founded.team.public(), "role": "owner"},
        "activation": {
            "token": activation.token,
            "url": activation.url(call.host.settings.base_url),
            "expires_at": rfc3339(activation.expires_at),
        },
    }
    return created(answer, "/api/org", secret_id=founded.owner.id)


async def suspend_tenant(call: Call) -> Reply:
    """Suspends the tenant; answers once every write under way is done and no other can begin."""
    return await _set_suspended(call, call.now_ms, "tenant.suspended")


async def resume_tenant(call: Call) -> Reply:
    return await _set_suspended(call, None, "tenant.resumed")


async def _set_suspended(call: Call, at_ms: int | None, action: str) -> Reply:
    directory = call.service(Directory)
    async with call.write() as writer:
        if await directory.set_tenant_suspended(writer, at_ms):
            tenant = await links.tenant_of_instance(writer)
            target = None if tenant is None else ("org", tenant.org_id)
            writer.audit(action, target, actor=_host(call, tenant))
        return Reply(tenant_json(await directory.tenant_suspended_at(writer)))


async def set_tenant_quota(call: Call) -> Reply:
    body = call.body
    async with call.read() as reader:
        tenant = await _provisioned(reader)
    async with call.write(_host(call, tenant)) as writer:
        usage = await call.service(Quotas).set_limit(
            writer, "team", tenant.team_id, body["dimension"], body["window"], body["limit"]
        )
    return Reply(usage.public())


async def _provisioned(reader: Reader) -> Tenant:
    tenant = await links.tenant_of_instance(reader)
    if tenant is None:
        raise Conflict("This instance has no tenant yet; provision one first.", code="not_provisioned")
    return tenant


def _host(call: Call, tenant: Tenant | None = None) -> Actor:
    """Returns the holder of the provisioning token as an actor in the tenant's own trail."""
    where: dict[str, Any] = {} if tenant is None else {"org_id": tenant.org_id, "team_id": tenant.team_id}
    return Actor("host", request_id=call.request_id, **where)


def _already_provisioned() -> Conflict:
    return Conflict("This instance has its owner already.", code="already_provisioned")


class CountedGuesses:
    """Implements the SDK's `ProvisionGuesses`: all processes of an instance count together.

    The kernel's migration 0012 made the table.
    """

    async def check(self, call: Call) -> None:
        async with call.read() as reader:
            await _refuse_too_many(reader, address_key(call.address), call.now_ms)

    async def record(self, call: Call) -> None:
        """Counts a wrong token; of many at once no more than the limit are told that they are wrong."""
        address, now = address_key(call.address), call.now_ms
        async with call.write(Actor("unknown", request_id=call.request_id)) as writer:
            await writer.serialize(f"provision-address:{address}")
            await _refuse_too_many(writer, address, now)
            await writer.run(
                _guesses.sweep_failures, floor=now - FAILURE_WINDOW_MS, max_rows=_SWEPT_PER_FAILURE
            )
            await writer.run(_guesses.insert_failure, id=new_id("pf", now), address=address, now=now)
            writer.audit("provision.refused", detail={"address": address})

    async def clear(self, call: Call) -> None:
        """Clears the count of an address after the right token, unless the limit was reached before."""
        address = address_key(call.address)
        async with call.read() as reader:
            if await reader.one(_guesses.any_failure, address=address) is None:
                return
        async with call.write() as writer:
            await writer.serialize(f"provision-address:{address}")
            await _refuse_too_many(writer, address, call.now_ms)
            await writer.run(_guesses.clear_failures, address=address)


async def _refuse_too_many(reader: Reader, address: str, now_ms: int) -> None:
    filled_at = await reader.value(
        _guesses.nth_failure, address=address, floor=now_ms - FAILURE_WINDOW_MS, nth=FAILURES_PER_ADDRESS - 1
    )
    if filled_at is not None:
        seconds = max(1, -(-(filled_at + FAILURE_WINDOW_MS - now_ms) // 1000))
        raise TooManyRequests(
            f"Too many wrong provisioning tokens; try again in {seconds} s.",
            headers={"Retry-After": str(seconds)},
        )
