"""The company plane: the caller's own company, and teams that come, get another name, or go."""

from builtin_plugins.companies.presentation import org_with_teams_and_quotas, team_json
from builtin_plugins.companies.schemas import check_names
from guildhall_sdk import (
    Actor,
    Conflict,
    InvalidRequest,
    JobError,
    NotFound,
    Origin,
    Reader,
    Reply,
    RequestContext,
    Writer,
    created,
    cut_page,
    no_content,
    page,
    page_bounds,
)
from guildhall_sdk.event_types import MEMBER_JOINED, MEMBER_LEFT, MemberJoined, MemberLeft
from guildhall_sdk.services import Directory, Events, Jobs, Member, Plugins, Team
from guildhall_sdk.teams import TeamContent, TeamMove


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


_PER_STEP = 500
#: Who leads one team does not lead another by its end.
_LEADING = ("owner", "admin")
_JOINS_AS = "member"


async def rename_team(ctx: RequestContext) -> Reply:
    who, team_id, name = ctx.principal, ctx.params["id"], ctx.body["name"]
    check_names(ctx.body, "name")
    directory = ctx.service(Directory)
    async with ctx.write() as writer:
        before = await _team(ctx, writer, team_id)
        team = await directory.rename_team(writer, who.org_id, team_id, name)
        if before.name != name:
            detail = {"from": before.name, "to": name}
            writer.audit("team.renamed", ("team", team.id), detail=detail, actor=_actor(ctx, team))
    return Reply(team_json(team))


async def delete_team(ctx: RequestContext) -> Reply:
    """Deletes an empty team, or one whose people and things go to another; its history is kept.

    Alone: what somebody is just writing there is moved too, and nobody writes there afterwards.
    """
    who, team_id, directory = ctx.principal, ctx.params["id"], ctx.service(Directory)
    async with ctx.write(alone=True) as writer:
        await directory.hold_people(writer, who.org_id)
        team = await _team(ctx, writer, team_id)
        detail: dict[str, str] = {"name": team.name}
        target = await _target(ctx, writer, team)
        if target is None:
            await _check_empty(ctx, writer, team)
        else:
            detail["moved_to"] = target.id
            await _move(ctx, writer, TeamMove(team, target))
        await directory.delete_team(writer, who.org_id, team.id)
        writer.audit("team.deleted", ("team", team.id), detail=detail, actor=_actor(ctx, team))
    return no_content()


async def _team(ctx: RequestContext, reader: Reader, team_id: str) -> Team:
    team = await ctx.service(Directory).team(reader, team_id)
    if team is None or team.org_id != ctx.principal.org_id:
        raise NotFound("Your company has no team with this id.")
    return team


async def _target(ctx: RequestContext, reader: Reader, team: Team) -> Team | None:
    wanted = ctx.body.get("move_to")
    if wanted is None:
        return None
    if wanted == team.id:
        raise InvalidRequest.at("/move_to", "is the team that you delete; name another one")
    target = await ctx.service(Directory).team(reader, wanted)
    if target is None or target.org_id != team.org_id:
        raise InvalidRequest.at("/move_to", "is no team of your company")
    return target


async def _check_empty(ctx: RequestContext, reader: Reader, team: Team) -> None:
    held = [
        content.name
        for _, content in ctx.service(Plugins).owned(TeamContent)
        if content.held is not None and await reader.one(content.held, team_id=team.id) is not None
    ]
    if await ctx.service(Directory).members(reader, team.id, None, 1):
        held.append("members")
    if held:
        raise Conflict(
            f"The team still has {', '.join(sorted(held))}; say with move_to which team they go to.",
            code="team_not_empty",
        )


async def _move(ctx: RequestContext, writer: Writer, move: TeamMove) -> None:
    await _move_people(ctx, writer, move)
    for _, content in ctx.service(Plugins).owned(TeamContent):
        await content.move(ctx.host, writer, move)


async def _move_people(ctx: RequestContext, writer: Writer, move: TeamMove) -> None:
    directory, after = ctx.service(Directory), None
    while True:
        members = await directory.members(writer, move.source.id, after, _PER_STEP)
        for member in members:
            await _move_member(ctx, writer, move, member)
        if len(members) < _PER_STEP:
            return
        after = members[-1].user_id


async def _move_member(ctx: RequestContext, writer: Writer, move: TeamMove, member: Member) -> None:
    """Lets a member join the other team; who is in it already keeps the role that they have there."""
    directory, events, user_id = ctx.service(Directory), ctx.service(Events), member.user_id
    because = JobError("person_removed", "The team that this was asked for in was deleted.")
    await ctx.service(Jobs).cancel_of_person(writer, move.source.id, user_id, because)
    left = MemberLeft(user_id=user_id, role=member.role)
    await events.emit(writer, MEMBER_LEFT, left, Origin.of(ctx.principal, move.source.id))
    if await directory.member(writer, move.target.id, user_id) is not None:
        return
    role = _JOINS_AS if member.role in _LEADING else member.role
    await directory.add_member(writer, move.target.id, user_id, role)
    detail = {"username": member.username, "role": role, "team": move.target.name, "new": False}
    writer.audit("member.added", ("user", user_id), detail=detail, actor=_actor(ctx, move.target))
    joined = MemberJoined(user_id=user_id, role=role)
    await events.emit(writer, MEMBER_JOINED, joined, Origin.of(ctx.principal, move.target.id))


def _actor(ctx: RequestContext, team: Team) -> Actor:
    who = ctx.principal
    return Actor(who.username, who.user_id, who.org_id, team.id, ctx.request_id)
