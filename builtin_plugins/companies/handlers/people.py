"""The company plane: its people, their teams and roles; who is suspended, let in again, or removed."""

from typing import Any

from builtin_plugins.companies import links
from builtin_plugins.companies.founding import first_session
from builtin_plugins.companies.presentation import colleague_json
from builtin_plugins.companies.ranks import appoint, check_appointable, check_over
from builtin_plugins.companies.schemas import check_names, given_password
from guildhall_sdk import (
    Actor,
    Conflict,
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
from guildhall_sdk.event_types import (
    MEMBER_JOINED,
    MEMBER_LEFT,
    MEMBER_RESUMED,
    MEMBER_SUSPENDED,
    MemberJoined,
    MemberLeft,
    MemberResumed,
    MemberSuspended,
)
from guildhall_sdk.services import Colleague, Directory, Events, Jobs, Member, Roles, Team, User
from guildhall_sdk.services.roles import check_grantable


async def list_people(ctx: RequestContext) -> Reply:
    after, limit = page_bounds(ctx.query)
    async with ctx.read() as reader:
        people = await ctx.service(Directory).colleagues(reader, ctx.principal.org_id, after, limit)
    visible, cursor = cut_page(people, limit, lambda colleague: colleague.user.id)
    return page([colleague_json(colleague) for colleague in visible], cursor)


async def add_person(ctx: RequestContext) -> Reply:
    """Adds a person: a new one gets a first session in the team, a colleague joins with what they have."""
    body, org_role = ctx.body, ctx.body.get("org_role")
    check_grantable(ctx.service(Roles), ctx.principal, body["role"])
    check_appointable(ctx.service(Roles), ctx.principal, None, org_role)
    check_names(body, "username", "display_name")
    async with ctx.read() as reader:
        team = await _team(ctx, reader)
        known = await _colleague(ctx, reader)
    password_hash = None if known else await given_password(ctx, body)
    token = None
    async with ctx.write() as writer:
        user = known or await _new_colleague(ctx, writer, password_hash)
        if user is None:  # somebody else made this person meanwhile
            user = known = await _colleague(ctx, writer)
        if user is None:
            raise Conflict("That username is taken; choose another.", code="username_taken")
        member = await ctx.service(Directory).add_member(writer, team.id, user.id, body["role"])
        if known is None:
            token = (await first_session(writer, ctx.host, user, team, ctx.principal.credential)).token
        _audit_added(ctx, writer, team, member, new=known is None)
        joined = MemberJoined(user_id=user.id, role=member.role)
        await ctx.service(Events).emit(writer, MEMBER_JOINED, joined, Origin.of(ctx.principal, team.id))
        if org_role is not None:
            await appoint(ctx, writer, user, org_role)
    answer = {"member": _member_json(member, team, org_role or user.org_role), "token": token}
    return created(answer, f"/api/org/members/{user.id}", secret_id=user.id if token else None)


async def _team(ctx: RequestContext, reader: Reader) -> Team:
    team = await ctx.service(Directory).team(reader, ctx.body["team"])
    if team is None or team.org_id != ctx.principal.org_id:
        raise NotFound("Your company has no team with this id.")
    return team


async def _colleague(ctx: RequestContext, reader: Reader) -> User | None:
    """Returns the colleague who has the name, or None; somebody of another company is a conflict."""
    user = await ctx.service(Directory).user_by_name(reader, ctx.body["username"])
    if user is not None and user.org_id != ctx.principal.org_id:
        raise Conflict("That username is taken; choose another.", code="username_taken")
    return user


async def _new_colleague(ctx: RequestContext, writer: Writer, password_hash: str | None) -> User | None:
    try:
        return await ctx.service(Directory).create_user(
            writer,
            ctx.principal.org_id,
            ctx.body["username"],
            display_name=ctx.body.get("display_name"),
            password_hash=password_hash,
        )
    except Conflict:
        return None


def _audit_added(ctx: RequestContext, writer: Writer, team: Team, member: Member, *, new: bool) -> None:
    """Records in the trail of the team that somebody joined it."""
    who = ctx.principal
    actor = Actor(who.username, who.user_id, who.org_id, team.id, ctx.request_id)
    detail = {"username": member.username, "role": member.role, "team": team.name, "new": new}
    writer.audit("member.added", ("user", member.user_id), detail=detail, actor=actor)


def _member_json(member: Member, team: Team, org_role: str | None) -> dict[str, Any]:
    return {**member.public(), "team": team.public(), "org_role": org_role}


async def change_person(ctx: RequestContext) -> Reply:
    who, user_id, directory = ctx.principal, ctx.params["id"], ctx.service(Directory)
    async with ctx.write() as writer:
        before = await directory.colleague(writer, who.org_id, user_id)
        if before is None:
            raise NotFound
        await appoint(ctx, writer, before.user, ctx.body["org_role"])
        after = await directory.colleague(writer, who.org_id, user_id)
        assert after is not None
    return Reply(colleague_json(after))


async def suspend_person(ctx: RequestContext) -> Reply:
    """Suspends a person: whatever they hold answers 403 from here on, and what they asked for ends."""
    because = JobError("person_suspended", "Whoever asked for this was suspended.")
    async with ctx.write() as writer:
        person = await _other(ctx, writer, "own_suspension", "Nobody suspends themself; ask a colleague.")
        changed = await ctx.service(Directory).set_person_suspended(
            writer, ctx.principal.org_id, person.user.id, ctx.now_ms
        )
        check_over(ctx.principal, person)
        if changed:
            _record(ctx, writer, "member.suspended", person)
            for team, _ in person.teams:
                await ctx.service(Jobs).cancel_of_person(writer, team.id, person.user.id, because)
                suspended = MemberSuspended(user_id=person.user.id)
                origin = Origin.of(ctx.principal, team.id)
                await ctx.service(Events).emit(writer, MEMBER_SUSPENDED, suspended, origin)
        return Reply(colleague_json(await _person(ctx, writer)))


async def resume_person(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        person = await _person(ctx, writer)
        changed = await ctx.service(Directory).set_person_suspended(
            writer, ctx.principal.org_id, person.user.id, None
        )
        check_over(ctx.principal, person)
        if changed:
            _record(ctx, writer, "member.resumed", person)
            for team, _ in person.teams:
                resumed = MemberResumed(user_id=person.user.id)
                origin = Origin.of(ctx.principal, team.id)
                await ctx.service(Events).emit(writer, MEMBER_RESUMED, resumed, origin)
        return Reply(colleague_json(await _person(ctx, writer)))


async def remove_person(ctx: RequestContext) -> Reply:
    """Removes a person from all teams, and with them their credentials; what they made stays."""
    who, directory = ctx.principal, ctx.service(Directory)
    async with ctx.write() as writer:
        await directory.hold_people(writer, who.org_id)
        person = await _other(ctx, writer, "own_removal", "Nobody removes themself; ask a colleague.")
        for team, role in person.teams:
            await _leave(ctx, writer, person, team, role)
        check_over(who, person)
        await directory.remove_person(writer, who.org_id, person.user.id)
        await links.delete_all(writer, person.user.id)
        _record(ctx, writer, "member.removed_from_company", person)
    return no_content()


async def _leave(ctx: RequestContext, writer: Writer, person: Colleague, team: Team, role: str) -> None:
    who, user = ctx.principal, person.user
    await ctx.service(Directory).remove_member(writer, team.id, user.id)
    because = JobError("person_removed", "Whoever asked for this is not in the team any more.")
    await ctx.service(Jobs).cancel_of_person(writer, team.id, user.id, because)
    actor = Actor(who.username, who.user_id, who.org_id, team.id, ctx.request_id)
    detail = {"username": user.username, "role": role}
    writer.audit("member.removed", ("user", user.id), detail=detail, actor=actor)
    left = MemberLeft(user_id=user.id, role=role)
    await ctx.service(Events).emit(writer, MEMBER_LEFT, left, Origin.of(who, team.id))


async def _person(ctx: RequestContext, writer: Writer) -> Colleague:
    person = await ctx.service(Directory).colleague(writer, ctx.principal.org_id, ctx.params["id"])
    if person is None:
        raise NotFound
    return person


async def _other(ctx: RequestContext, writer: Writer, code: str, detail: str) -> Colleague:
    person = await _person(ctx, writer)
    if person.user.id == ctx.principal.user_id:
        raise Conflict(detail, code=code)
    return person


def _record(ctx: RequestContext, writer: Writer, action: str, person: Colleague) -> None:
    writer.audit(action, ("user", person.user.id), detail={"username": person.user.username})
