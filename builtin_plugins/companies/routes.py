"""The rows of companies, and real ids for the conformance tests, made through the front door."""

import secrets

from builtin_plugins.companies import schemas
from guildhall_sdk import PAGE_QUERY, Auth, Factory, Route, SampleClient

_HOSTED = (
    Route(
        "POST",
        "/api/provision",
        "provision",
        "Give the hosted instance its company and owner, and an activation link for them. Works once.",
        Auth.PROVISION,
        body=schemas.PROVISION,
        reply=schemas.PROVISIONED,
        status=201,
    ),
    Route(
        "POST",
        "/api/activate",
        "activate",
        "Set a password with the token of an invitation, or of another link from an admin; it works once. "
        "Begins a session, unless two-factor is on.",
        Auth.PUBLIC,
        body=schemas.ACTIVATE,
        reply=schemas.ACTIVATED,
    ),
    Route(
        "POST",
        "/api/password/reset",
        "reset_password",
        "Set a password anew with the token of a link from an admin, or of an invitation; it works once. "
        "Ends all sessions, and begins one unless two-factor is on.",
        Auth.PUBLIC,
        body=schemas.ACTIVATE,
        reply=schemas.ACTIVATED,
    ),
    Route(
        "POST",
        "/api/instance/suspend",
        "suspend_tenant",
        "Suspend the tenant: it can be read, not written.",
        Auth.PROVISION,
        reply=schemas.TENANT,
    ),
    Route(
        "POST",
        "/api/instance/resume",
        "resume_tenant",
        "Let the tenant write again.",
        Auth.PROVISION,
        reply=schemas.TENANT,
    ),
    Route(
        "POST",
        "/api/instance/quota",
        "set_tenant_quota",
        "Limit what the tenant's team may use; a limit of null lifts it.",
        Auth.PROVISION,
        body=schemas.SET_QUOTA,
        reply=schemas.USAGE,
    ),
)

_INSTANCE = (
    Route(
        "POST",
        "/api/orgs",
        "create_org",
        "Create a company with its first team and its owner, whose first session is answered.",
        Auth.SUPERADMIN,
        permission="instance:manage",
        body=schemas.CREATE_ORG,
        reply=schemas.ORG_CREATED,
        status=201,
    ),
    Route(
        "GET",
        "/api/orgs",
        "list_orgs",
        "Every company, oldest first.",
        Auth.SUPERADMIN,
        permission="instance:manage",
        query=PAGE_QUERY,
        reply=schemas.ORGS,
    ),
    Route(
        "POST",
        "/api/orgs/:ref/suspend",
        "suspend_org",
        "Suspend a company, by id or slug: its teams can be read, not written.",
        Auth.SUPERADMIN,
        permission="instance:manage",
        reply=schemas.ORG,
        while_suspended=True,
    ),
    Route(
        "POST",
        "/api/orgs/:ref/resume",
        "resume_org",
        "Let a company write again.",
        Auth.SUPERADMIN,
        permission="instance:manage",
        reply=schemas.ORG,
        while_suspended=True,
    ),
    Route(
        "POST",
        "/api/orgs/:ref/quota",
        "set_org_quota",
        "Limit what a company may use, its teams together; a limit of null lifts it.",
        Auth.SUPERADMIN,
        permission="instance:manage",
        body=schemas.SET_QUOTA,
        reply=schemas.USAGE,
    ),
    Route(
        "GET",
        "/api/orgs/:ref",
        "get_org",
        "A company, by id or slug, with its teams and quotas.",
        Auth.SUPERADMIN,
        permission="instance:manage",
        reply=schemas.WHOLE_ORG,
    ),
    Route(
        "PATCH",
        "/api/orgs/:ref",
        "change_org",
        "Rename a company, change its plan, which puts its caps anew, or its hostname.",
        Auth.SUPERADMIN,
        permission="instance:manage",
        body=schemas.CHANGE_ORG,
        reply=schemas.ORG,
    ),
    Route(
        "GET",
        "/api/admin/seed-tenants",
        "demo_allowed",
        "Whether demo companies may be made here.",
        Auth.SUPERADMIN,
        permission="instance:manage",
        reply=schemas.DEMO_ALLOWED,
    ),
    Route(
        "POST",
        "/api/admin/seed-tenants",
        "seed_tenants",
        "Put up two demo companies whose passwords everybody knows; only with SERVICE_DEMO.",
        Auth.SUPERADMIN,
        permission="instance:manage",
        reply=schemas.DEMO,
    ),
)

_COMPANY = (
    Route(
        "GET",
        "/api/org",
        "own_org",
        "The caller's company with its teams and quotas.",
        Auth.ORG_ADMIN,
        permission="org:read",
        reply=schemas.WHOLE_ORG,
    ),
    Route(
        "GET",
        "/api/org/teams",
        "list_teams",
        "The teams of the company.",
        Auth.ORG_ADMIN,
        permission="org:read",
        query=PAGE_QUERY,
        reply=schemas.TEAMS,
    ),
    Route(
        "POST",
        "/api/org/teams",
        "create_team",
        "Create a team; nobody is in it yet.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        body=schemas.CREATE_TEAM,
        reply=schemas.TEAM,
        status=201,
    ),
    Route(
        "PATCH",
        "/api/org/teams/:id",
        "rename_team",
        "Give a team another name; its slug stays.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        body=schemas.CREATE_TEAM,
        reply=schemas.TEAM,
    ),
    Route(
        "DELETE",
        "/api/org/teams/:id",
        "delete_team",
        "Delete a team that is empty, or whose people and things go to the team of move_to.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        body=schemas.DELETE_TEAM,
        status=204,
    ),
    Route(
        "GET",
        "/api/org/members",
        "list_people",
        "The company's people with their teams, their role in each, and their role in the company.",
        Auth.ORG_ADMIN,
        permission="org:read",
        query=PAGE_QUERY,
        reply=schemas.PEOPLE,
    ),
    Route(
        "POST",
        "/api/org/members",
        "add_person",
        "Add a person to a team, with a role in the company too. A new one gets a first session there.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        body=schemas.ADD_PERSON,
        reply=schemas.PERSON_ADDED,
        status=201,
    ),
    Route(
        "PATCH",
        "/api/org/members/:id",
        "change_person",
        "Set or clear a person's role in the company; never one's own.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        body=schemas.CHANGE_PERSON,
        reply=schemas.PERSON,
    ),
    Route(
        "DELETE",
        "/api/org/members/:id",
        "remove_person",
        "Remove a person from the company and all its teams; what they hold ends at once.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        status=204,
    ),
    Route(
        "POST",
        "/api/org/members/:id/suspend",
        "suspend_person",
        "Suspend a person: their credentials answer 403, and what they asked for ends.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        reply=schemas.PERSON,
    ),
    Route(
        "POST",
        "/api/org/members/:id/resume",
        "resume_person",
        "Let a suspended person in again.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        reply=schemas.PERSON,
    ),
)

_LINKS = (
    Route(
        "POST",
        "/api/members/:id/invitation",
        "make_invitation",
        "Make a link by which somebody who has no password yet sets one. Ends the one before, and their "
        "sessions.",
        permission="members:manage",
        reply=schemas.LINK,
        status=201,
    ),
    Route(
        "POST",
        "/api/members/:id/password-reset",
        "make_password_reset",
        "Make a link by which somebody of the company who ranks below the caller sets their password anew. "
        "Their sessions end when it is used.",
        permission="members:manage",
        reply=schemas.LINK,
        status=201,
    ),
)

ROUTES = (*_LINKS, *_HOSTED, *_INSTANCE, *_COMPANY)


async def make_org(client: SampleClient, canary: str) -> str:
    owner = {"username": f"{canary[:40]}-{secrets.token_hex(6)}"}
    _, answer = await client.call("POST", "/api/orgs", {"name": canary, "owner": owner})
    return str(answer["org"]["id"])


async def make_colleague(client: SampleClient, canary: str) -> str:
    _, teams = await client.call("GET", "/api/org/teams")
    body = {
        "username": f"{canary[:40]}-{secrets.token_hex(6)}",
        "team": teams["items"][0]["id"],
        "role": "viewer",
        "display_name": canary,
    }
    _, answer = await client.call("POST", "/api/org/members", body)
    return str(answer["member"]["user_id"])


async def make_team(client: SampleClient, canary: str) -> str:
    _, answer = await client.call("POST", "/api/org/teams", {"name": canary})
    return str(answer["id"])


FACTORIES = (
    # The operators' view: every company is theirs to look after.
    Factory("/api/orgs/:ref", make_org, tenant=False),
    Factory("/api/org/members/:id", make_colleague),
    Factory("/api/org/teams/:id", make_team),
)
