"""The superadmin plane: every company of the instance, for its operators, and demo companies."""

from typing import Any

from builtin_plugins.companies import demonstration
from builtin_plugins.companies.demonstration import DEMO, DemoCompany, DemoOrg
from builtin_plugins.companies.founding import (
    FIRST_TEAM,
    NewCompany,
    NewOwner,
    acting_in,
    first_session,
    found,
)
from builtin_plugins.companies.presentation import org_json, org_with_teams_and_quotas
from builtin_plugins.companies.schemas import (
    check_names,
    given_domain,
    given_password,
    given_plan,
    given_slug,
)
from guildhall_sdk import (
    Actor,
    Call,
    Forbidden,
    NotFound,
    Origin,
    Reader,
    Reply,
    Writer,
    created,
    cut_page,
    page,
    page_bounds,
    rfc3339_or_none,
)
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.factories import Samples
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.principal import Roles
from guildhall_sdk.services.identity import Passwords
from guildhall_sdk.services.tenancy import Directory, Org
from guildhall_sdk.subscriptions import (
    COMPANY_RESUMED,
    COMPANY_SUSPENDED,
    CompanyResumed,
    CompanySuspended,
    Events,
)


async def create_org(call: Call) -> Reply:
    body, owner = call.body, call.body["owner"]
    check_names(body, "name", "team")
    check_names(owner, "username", "display_name", at="/owner")
    slug, domain, plan = given_slug(body), given_domain(body), given_plan(call)
    password_hash = await given_password(call, owner, at="/owner")
    async with call.write() as writer:
        founded = await found(
            writer,
            call.host,
            operator(call),
            NewCompany(
                name=body["name"],
                slug=slug,
                plan=plan,
                domain=domain,
                team=body.get("team", FIRST_TEAM),
                owner=NewOwner(owner["username"], owner.get("display_name"), password_hash=password_hash),
            ),
        )
        issued = await first_session(
            writer, call.host, founded.owner, founded.team, call.principal.credential
        )
    answer = {
        "org": org_json(founded.org),
        "team": {**founded.team.public(), "role": "owner"},
        "owner": {**founded.owner.public(), "org_role": founded.owner.org_role},
        "token": issued.token,
        "expires_at": rfc3339_or_none(issued.expires_at),
    }
    return created(answer, f"/api/orgs/{founded.org.id}", secret_id=founded.org.id)


async def list_orgs(call: Call) -> Reply:
    after, limit = page_bounds(call.query)
    async with call.read() as reader:
        orgs = await call.service(Directory).orgs(reader, after, limit)
    visible, cursor = cut_page(orgs, limit, lambda org: org.id)
    return page([org_json(org) for org in visible], cursor)


async def get_org(call: Call) -> Reply:
    async with call.read() as reader:
        return Reply(await org_with_teams_and_quotas(reader, call.host, await named_org(call, reader)))


async def change_org(call: Call) -> Reply:
    """Changes a company; a plan resets the company's caps, even if it is the plan that it has."""
    body, directory = call.body, call.service(Directory)
    check_names(body, "name")
    domain = given_domain(body)
    plan = given_plan(call) if "plan" in body else None
    async with call.write() as writer:
        org = before = await held_org(call, writer)
        if "name" in body or plan is not None:
            org = await directory.change_org(writer, org.id, name=body.get("name"), plan=plan)
        if "domain" in body:
            org = await directory.set_domain(writer, org.id, domain)
        if plan is not None:
            await call.service(Quotas).apply_plan(writer, org.id, plan)
        _audit_changes(writer, acting_in(operator(call), org), before, org)
    return Reply(org_json(org))


def _audit_changes(writer: Writer, actor: Actor, before: Org, after: Org) -> None:
    for action, old, new in (
        ("org.renamed", before.name, after.name),
        ("org.plan_changed", before.plan, after.plan),
        ("org.domain_changed", before.domain, after.domain),
    ):
        if old != new:
            writer.audit(action, ("org", after.id), detail={"from": old, "to": new}, actor=actor)


async def suspend_org(call: Call) -> Reply:
    """Suspends a company; answers once every write under way is done and no other can begin."""
    return await _set_suspended(call, call.now_ms, "org.suspended")


async def resume_org(call: Call) -> Reply:
    return await _set_suspended(call, None, "org.resumed")


async def _set_suspended(call: Call, at_ms: int | None, action: str) -> Reply:
    directory = call.service(Directory)
    async with call.read() as reader:
        org = await named_org(call, reader)
    async with call.write() as writer:
        if await directory.set_suspended(writer, org.id, at_ms):
            writer.audit(action, ("org", org.id), actor=acting_in(operator(call), org))
            await _publish(call, writer, org, suspended=at_ms is not None)
        return Reply(org_json(await named_org(call, writer)))


async def _publish(call: Call, writer: Writer, org: Org, *, suspended: bool) -> None:
    """Publishes in the operator's own team: in the company's it would wait until that is open again."""
    events, origin = call.service(Events), Origin.of(call.principal)
    if suspended:
        await events.emit(writer, COMPANY_SUSPENDED, CompanySuspended(org_id=org.id), origin)
    else:
        await events.emit(writer, COMPANY_RESUMED, CompanyResumed(org_id=org.id), origin)


async def set_org_quota(call: Call) -> Reply:
    body = call.body
    async with call.read() as reader:
        org = await named_org(call, reader)
    async with call.write(acting_in(operator(call), org)) as writer:
        usage = await call.service(Quotas).set_limit(
            writer, "org", org.id, body["dimension"], body["window"], body["limit"]
        )
    return Reply(usage.public())


async def named_org(call: Call, reader: Reader) -> Org:
    org = await call.service(Directory).org_by_ref(reader, call.params["ref"])
    if org is None:
        raise NotFound("There is no company with this id or slug.")
    return org


async def held_org(call: Call, writer: Writer) -> Org:
    """Returns the company as it is while nobody else changes it."""
    await writer.serialize(f"org:{(await named_org(call, writer)).id}")
    return await named_org(call, writer)


def operator(call: Call) -> Actor:
    who = call.principal
    return Actor(who.username, who.user_id, request_id=call.request_id)


async def demo_allowed(call: Call) -> Reply:
    return Reply({"enabled": call.setting(DEMO)})


async def seed_tenants(call: Call) -> Reply:
    """Makes demo companies, each whole or not at all, then their samples; again, it adds what is missing."""
    if not call.setting(DEMO):
        raise Forbidden("Demo companies are off here; SERVICE_DEMO turns them on.", code="demo_disabled")
    password_hash = await call.service(Passwords).hash(demonstration.PASSWORD)
    items = []
    for company in demonstration.COMPANIES:
        async with call.write() as writer:
            stand = await demonstration.put_up(writer, call.host, company, password_hash, operator(call))
        await _add_samples(call, stand)
        items.append(_demo_org_json(company, stand))
    return page(items, None)


async def _add_samples(call: Call, stand: DemoOrg) -> None:
    who, owner = call.principal, stand.as_owner(call.service(Roles))
    actor = Actor(who.username, who.user_id, stand.org.id, stand.team.id, call.request_id)
    for samples in call.service(Plugins).declared(Samples):
        async with call.write(actor) as writer:
            await samples.seed(call.host, writer, owner, call.now_ms)


def _demo_org_json(company: DemoCompany, stand: DemoOrg) -> dict[str, Any]:
    return {
        "org": org_json(stand.org),
        "team": stand.team.public(),
        "people": [
            {
                "username": person.username,
                "password": demonstration.PASSWORD,
                "role": person.role,
                "org_role": person.org_role,
            }
            for person in company.everybody
        ],
    }
