"""The company plane: the caller's own company and its teams."""

from builtin_plugins.companies.field_checks import check_names
from builtin_plugins.companies.org_view import org_with_teams_and_quotas
from builtin_plugins.companies.presentation import team_json
from guildhall_sdk import (
    Actor,
    NotFound,
    Reply,
    RequestContext,
    created,
    cut_page,
    page,
    page_bounds,
)
from guildhall_sdk.services import Directory


async def own_org(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        org = await ctx.service(Directory).org(reader, ctx.principal.org_id)
        if org is None:
            raise NotFound
        return Reply(await org_with_teams_and_quotas(reader, ctx.host, org))


async def list_teams(ctx: RequestContext) -> Reply:
    after, limit = page_bounds(ctx.query)
    async with ctx.read() as reader:
        teams = await ctx.service(Directory).teams_of_org(reader, ctx.principal.org_id, after, limit)
    visible, cursor = cut_page(teams, limit, lambda team: team.id)
    return page([team_json(team) for team in visible], cursor)


async def create_team(ctx: RequestContext) -> Reply:
    """Creates an empty team: whoever made it may not hold what an owner of it would."""
    who = ctx.principal
    check_names(ctx.body, "name")
    async with ctx.write() as writer:
        team = await ctx.service(Directory).create_team(writer, who.org_id, ctx.body["name"])
        actor = Actor(who.username, who.user_id, who.org_id, team.id, ctx.request_id)
        writer.audit("team.created", ("team", team.id), detail={"name": team.name}, actor=actor)
    return created(team_json(team), "/api/org/teams")
