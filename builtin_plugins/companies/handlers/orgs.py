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
    Forbidden,
    NotFound,
    Origin,
    Reader,
    Reply,
    RequestContext,
    Samples,
    Writer,
    created,
    cut_page,
    page,
    page_bounds,
    rfc3339_or_none,
)
from guildhall_sdk.event_types import COMPANY_RESUMED, COMPANY_SUSPENDED, CompanyResumed, CompanySuspended
from guildhall_sdk.services import Directory, Events, Org, Passwords, Plugins, Quotas, Roles


async def create_org(ctx: RequestContext) -> Reply:
    body, owner = ctx.body, ctx.body["owner"]
    check_names(body, "name", "team")
    check_names(owner, "username", "display_name", at="/owner")
    slug, domain, plan = given_slug(body), given_domain(body), given_plan(ctx)
    password_hash = await given_password(ctx, owner, at="/owner")
    async with ctx.write() as writer:
        founded = await found(
            writer,
            ctx.host,
            operator(ctx),
            NewCompany(
                name=body["name"],
                slug=slug,
                plan=plan,
                domain=domain,
                team=body.get("team", FIRST_TEAM),
                owner=NewOwner(owner["username"], owner.get("display_name"), password_hash=password_hash),
            ),
        )
        issued = await first_session(writer, ctx.host, founded.owner, founded.team, ctx.principal.credential)
    answer = {
        "org": org_json(founded.org),
        "team": {**founded.team.public(), "role": "owner"},
        "owner": {**founded.owner.public(), "org_role": founded.owner.org_role},
        "token": issued.token,
        "expires_at": rfc3339_or_none(issued.expires_at),
    }
    return created(answer, f"/api/orgs/{founded.org.id}", secret_id=founded.org.id)


async def list_orgs(ctx: RequestContext) -> Reply:
    after, limit = page_bounds(ctx.query)
    async with ctx.read() as reader:
        orgs = await ctx.service(Directory).orgs(reader, after, limit)
    visible, cursor = cut_page(orgs, limit, lambda org: org.id)
    return page([org_json(org) for org in visible], cursor)


async def get_org(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        return Reply(await org_with_teams_and_quotas(reader, ctx.host, await named_org(ctx, reader)))


async def change_org(ctx: RequestContext) -> Reply:
    """Changes a company; a plan resets the company's caps, even if it is the plan that it has."""
    body, directory = ctx.body, ctx.service(Directory)
    check_names(body, "name")
    domain = given_domain(body)
    plan = given_plan(ctx) if "plan" in body else None
    async with ctx.write() as writer:
        org = before = await held_org(ctx, writer)
        if "name" in body or plan is not None:
            org = await directory.change_org(writer, org.id, name=body.get("name"), plan=plan)
        if "domain" in body:
            org = await directory.set_domain(writer, org.id, domain)
        if plan is not None:
            await ctx.service(Quotas).apply_plan(writer, org.id, plan)
        _audit_changes(writer, acting_in(operator(ctx), org), before, org)
    return Reply(org_json(org))


def _audit_changes(writer: Writer, actor: Actor, before: Org, after: Org) -> None:
    for action, old, new in (
        ("org.renamed", before.name, after.name),
        ("org.plan_changed", before.plan, after.plan),
        ("org.domain_changed", before.domain, after.domain),
    ):
        if old != new:
            writer.audit(action, ("org", after.id), detail={"from": old, "to": new}, actor=actor)


async def suspend_org(ctx: RequestContext) -> Reply:
    """Suspends a company; answers once every write under way is done and no other can begin."""
    return await _set_suspended(ctx, ctx.now_ms, "org.suspended")


async def resume_org(ctx: RequestContext) -> Reply:
    return await _set_suspended(ctx, None, "org.resumed")


async def _set_suspended(ctx: RequestContext, at_ms: int | None, action: str) -> Reply:
    directory = ctx.service(Directory)
    async with ctx.read() as reader:
        org = await named_org(ctx, reader)
    async with ctx.write() as writer:
        if await directory.set_suspended(writer, org.id, at_ms):
            writer.audit(action, ("org", org.id), actor=acting_in(operator(ctx), org))
            await _publish(ctx, writer, org, suspended=at_ms is not None)
        return Reply(org_json(await named_org(ctx, writer)))


async def _publish(ctx: RequestContext, writer: Writer, org: Org, *, suspended: bool) -> None:
    """Publishes in the operator's own team: in the company's it would wait until that is open again."""
    events, origin = ctx.service(Events), Origin.of(ctx.principal)
    if suspended:
        await events.emit(writer, COMPANY_SUSPENDED, CompanySuspended(org_id=org.id), origin)
    else:
        await events.emit(writer, COMPANY_RESUMED, CompanyResumed(org_id=org.id), origin)


async def set_org_quota(ctx: RequestContext) -> Reply:
    body = ctx.body
    async with ctx.read() as reader:
        org = await named_org(ctx, reader)
    async with ctx.write(acting_in(operator(ctx), org)) as writer:
        usage = await ctx.service(Quotas).set_limit(
            writer, "org", org.id, body["dimension"], body["window"], body["limit"]
        )
    return Reply(usage.public())


async def named_org(ctx: RequestContext, reader: Reader) -> Org:
    org = await ctx.service(Directory).org_by_ref(reader, ctx.params["ref"])
    if org is None:
        raise NotFound("There is no company with this id or slug.")
    return org


async def held_org(ctx: RequestContext, writer: Writer) -> Org:
    """Returns the company as it is while nobody else changes it."""
    await writer.serialize(f"org:{(await named_org(ctx, writer)).id}")
    return await named_org(ctx, writer)


def operator(ctx: RequestContext) -> Actor:
    who = ctx.principal
    return Actor(who.username, who.user_id, request_id=ctx.request_id)


async def demo_allowed(ctx: RequestContext) -> Reply:
    return Reply({"enabled": ctx.setting(DEMO)})


async def seed_tenants(ctx: RequestContext) -> Reply:
    """Makes demo companies, each whole or not at all, then their samples; again, it adds what is missing."""
    if not ctx.setting(DEMO):
        raise Forbidden("Demo companies are off here; SERVICE_DEMO turns them on.", code="demo_disabled")
    password_hash = await ctx.service(Passwords).hash(demonstration.PASSWORD)
    items = []
    for company in demonstration.COMPANIES:
        async with ctx.write() as writer:
            stand = await demonstration.put_up(writer, ctx.host, company, password_hash, operator(ctx))
        await _add_samples(ctx, stand)
        items.append(_demo_org_json(company, stand))
    return page(items, None)


async def _add_samples(ctx: RequestContext, stand: DemoOrg) -> None:
    who, owner = ctx.principal, stand.as_owner(ctx.service(Roles))
    actor = Actor(who.username, who.user_id, stand.org.id, stand.team.id, ctx.request_id)
    for samples in ctx.service(Plugins).declared(Samples):
        async with ctx.write(actor) as writer:
            await samples.seed(ctx.host, writer, owner, ctx.now_ms)


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
