"""Demo companies, where the operator's settings allow them."""

from typing import Any

from builtin_plugins.companies import demonstration
from builtin_plugins.companies.demonstration import DemoCompany, DemoOrg
from builtin_plugins.companies.handlers.orgs import operator
from builtin_plugins.companies.presentation import org_json
from builtin_plugins.companies.settings import DEMO
from guildhall_sdk import Actor, Call, Forbidden, Reply, page
from guildhall_sdk.factories import Samples
from guildhall_sdk.services.description import Plugins
from guildhall_sdk.services.identity import Passwords
from guildhall_sdk.services.roles import Roles


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
