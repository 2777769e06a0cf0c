"""The company plane: the caller's own company and its teams."""

from builtin_plugins.companies.field_checks import check_names
from builtin_plugins.companies.org_view import org_with_teams_and_quotas
from builtin_plugins.companies.presentation import team_json
from guildhall_sdk import Actor, Call, NotFound, Reply, created, cut_page, page, page_bounds
from guildhall_sdk.services.tenancy import Directory


async def own_org(call: Call) -> Reply:
    async with call.read() as reader:
        org = await call.service(Directory).org(reader, call.principal.org_id)
        if org is None:
            raise NotFound
        return Reply(await org_with_teams_and_quotas(reader, call.host, org))


async def list_teams(call: Call) -> Reply:
    after, limit = page_bounds(call.query)
    async with call.read() as reader:
        teams = await call.service(Directory).teams_of_org(reader, call.principal.org_id, after, limit)
    visible, cursor = cut_page(teams, limit, lambda team: team.id)
    return page([team_json(team) for team in visible], cursor)


async def create_team(call: Call) -> Reply:
    """Creates an empty team: whoever made it may not hold what an owner of it would."""
    who = call.principal
    check_names(call.body, "name")
    async with call.write() as writer:
        team = await call.service(Directory).create_team(writer, who.org_id, call.body["name"])
        actor = Actor(who.username, who.user_id, who.org_id, team.id, call.request_id)
        writer.audit("team.created", ("team", team.id), detail={"name": team.name}, actor=actor)
    return created(team_json(team), "/api/org/teams")
