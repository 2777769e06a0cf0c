"""The company plane: the caller's own company, and teams that come, get another name, or go."""

from builtin_plugins.companies.presentation import org_with_teams_and_quotas, team_json
from builtin_plugins.companies.schemas import check_names
from guildhall_sdk import (
    Actor,
    Call,
    Conflict,
    InvalidRequest,
    NotFound,
    Origin,
    Reader,
    Reply,
    Writer,
    created,
    cut_page,
    no_content,
    page,
    page_bounds,
)
from guildhall_sdk.jobs import JobError
from guildhall_sdk.plugin import Plugins, TeamContent, TeamMove
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.tenancy import Directory, Member, Team
from guildhall_sdk.subscriptions import MEMBER_JOINED, MEMBER_LEFT, Events, MemberJoined, MemberLeft


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


_PER_STEP = 500
#: Who leads one team does not lead another by its end.
_LEADING = ("owner", "admin")
_JOINS_AS = "member"


async def rename_team(call: Call) -> Reply:
    who, team_id, name = call.principal, call.params["id"], call.body["name"]
    check_names(call.body, "name")
    directory = call.service(Directory)
    async with call.write() as writer:
        before = await _team(call, writer, team_id)
        team = await directory.rename_team(writer, who.org_id, team_id, name)
        if before.name != name:
            detail = {"from": before.name, "to": name}
            writer.audit("team.renamed", ("team", team.id), detail=detail, actor=_actor(call, team))
    return Reply(team_json(team))


async def delete_team(call: Call) -> Reply:
    """Deletes an empty team, or one whose people and things go to another; its history is kept.

    Alone: what somebody is just writing there is moved too, and nobody writes there afterwards.
    """
    who, team_id, directory = call.principal, call.params["id"], call.service(Directory)
    async with call.write(alone=True) as writer:
        await directory.hold_people(writer, who.org_id)
        team = await _team(call, writer, team_id)
        detail: dict[str, str] = {"name": team.name}
        target = await _target(call, writer, team)
        if target is None:
            await _check_empty(call, writer, team)
        else:
            detail["moved_to"] = target.id
            await _move(call, writer, TeamMove(team, target))
        await directory.delete_team(writer, who.org_id, team.id)
        writer.audit("team.deleted", ("team", team.id), detail=detail, actor=_actor(call, team))
    return no_content()


async def _team(call: Call, reader: Reader, team_id: str) -> Team:
    team = await call.service(Directory).team(reader, team_id)
    if team is None or team.org_id != call.principal.org_id:
        raise NotFound("Your company has no team with this id.")
    return team


async def _target(call: Call, reader: Reader, team: Team) -> Team | None:
    wanted = call.body.get("move_to")
    if wanted is None:
        return None
    if wanted == team.id:
        raise InvalidRequest.at("/move_to", "is the team that you delete; name another one")
    target = await call.service(Directory).team(reader, wanted)
    if target is None or target.org_id != team.org_id:
        raise InvalidRequest.at("/move_to", "is no team of your company")
    return target


async def _check_empty(call: Call, reader: Reader, team: Team) -> None:
    held = [
        content.name
        for _, content in call.service(Plugins).owned(TeamContent)
        if content.held is not None and await reader.one(content.held, team_id=team.id) is not None
    ]
    if await call.service(Directory).members(reader, team.id, None, 1):
        held.append("members")
    if held:
        raise Conflict(
            f"The team still has {', '.join(sorted(held))}; say with move_to which team they go to.",
            code="team_not_empty",
        )


async def _move(call: Call, writer: Writer, move: TeamMove) -> None:
    await _move_people(call, writer, move)
    for _, content in call.service(Plugins).owned(TeamContent):
        await content.move(call.host, writer, move)


async def _move_people(call: Call, writer: Writer, move: TeamMove) -> None:
    directory, after = call.service(Directory), None
    while True:
        members = await directory.members(writer, move.source.id, after, _PER_STEP)
        for member in members:
            await _move_member(call, writer, move, member)
        if len(members) < _PER_STEP:
            return
        after = members[-1].user_id


async def _move_member(call: Call, writer: Writer, move: TeamMove, member: Member) -> None:
    """Lets a member join the other team; who is in it already keeps the role that they have there."""
    directory, events, user_id = call.service(Directory), call.service(Events), member.user_id
    because = JobError("person_removed", "The team that this was asked for in was deleted.")
    await call.service(Jobs).cancel_of_person(writer, move.source.id, user_id, because)
    left = MemberLeft(user_id=user_id, role=member.role)
    await events.emit(writer, MEMBER_LEFT, left, Origin.of(call.principal, move.source.id))
    if await directory.member(writer, move.target.id, user_id) is not None:
        return
    role = _JOINS_AS if member.role in _LEADING else member.role
    await directory.add_member(writer, move.target.id, user_id, role)
    detail = {"username": member.username, "role": role, "team": move.target.name, "new": False}
    writer.audit("member.added", ("user", user_id), detail=detail, actor=_actor(call, move.target))
    joined = MemberJoined(user_id=user_id, role=role)
    await events.emit(writer, MEMBER_JOINED, joined, Origin.of(call.principal, move.target.id))


def _actor(call: Call, team: Team) -> Actor:
    who = call.principal
    return Actor(who.username, who.user_id, who.org_id, team.id, call.request_id)
