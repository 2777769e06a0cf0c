"""The company plane: people who are suspended, let in again, or removed."""

from builtin_plugins.companies import links
from builtin_plugins.companies.presentation import colleague_json
from builtin_plugins.companies.ranks import check_over
from guildhall_sdk import Actor, Call, Conflict, NotFound, Origin, Reply, Writer, no_content
from guildhall_sdk.jobs import JobError
from guildhall_sdk.services.events import Events
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.tenancy import Colleague, Directory, Team
from guildhall_sdk.subscriptions import (
    MEMBER_LEFT,
    MEMBER_RESUMED,
    MEMBER_SUSPENDED,
    MemberLeft,
    MemberResumed,
    MemberSuspended,
)


async def suspend_person(call: Call) -> Reply:
    """Suspends a person: whatever they hold answers 403 from here on, and what they asked for ends."""
    because = JobError("person_suspended", "Whoever asked for this was suspended.")
    async with call.write() as writer:
        person = await _other(call, writer, "own_suspension", "Nobody suspends themself; ask a colleague.")
        changed = await call.service(Directory).set_person_suspended(
            writer, call.principal.org_id, person.user.id, call.now_ms
        )
        check_over(call.principal, person)
        if changed:
            _record(call, writer, "member.suspended", person)
            for team, _ in person.teams:
                await call.service(Jobs).cancel_of_person(writer, team.id, person.user.id, because)
                suspended = MemberSuspended(user_id=person.user.id)
                origin = Origin.of(call.principal, team.id)
                await call.service(Events).emit(writer, MEMBER_SUSPENDED, suspended, origin)
        return Reply(colleague_json(await _person(call, writer)))


async def resume_person(call: Call) -> Reply:
    async with call.write() as writer:
        person = await _person(call, writer)
        changed = await call.service(Directory).set_person_suspended(
            writer, call.principal.org_id, person.user.id, None
        )
        check_over(call.principal, person)
        if changed:
            _record(call, writer, "member.resumed", person)
            for team, _ in person.teams:
                resumed = MemberResumed(user_id=person.user.id)
                origin = Origin.of(call.principal, team.id)
                await call.service(Events).emit(writer, MEMBER_RESUMED, resumed, origin)
        return Reply(colleague_json(await _person(call, writer)))


async def remove_person(call: Call) -> Reply:
    """Removes a person from all teams, and with them their credentials; what they made stays."""
    who, directory = call.principal, call.service(Directory)
    async with call.write() as writer:
        await directory.hold_people(writer, who.org_id)
        person = await _other(call, writer, "own_removal", "Nobody removes themself; ask a colleague.")
        for team, role in person.teams:
            await _leave(call, writer, person, team, role)
        check_over(who, person)
        await directory.remove_person(writer, who.org_id, person.user.id)
        await links.delete_all(writer, person.user.id)
        _record(call, writer, "member.removed_from_company", person)
    return no_content()


async def _leave(call: Call, writer: Writer, person: Colleague, team: Team, role: str) -> None:
    who, user = call.principal, person.user
    await call.service(Directory).remove_member(writer, team.id, user.id)
    because = JobError("person_removed", "Whoever asked for this is not in the team any more.")
    await call.service(Jobs).cancel_of_person(writer, team.id, user.id, because)
    actor = Actor(who.username, who.user_id, who.org_id, team.id, call.request_id)
    detail = {"username": user.username, "role": role}
    writer.audit("member.removed", ("user", user.id), detail=detail, actor=actor)
    left = MemberLeft(user_id=user.id, role=role)
    await call.service(Events).emit(writer, MEMBER_LEFT, left, Origin.of(who, team.id))


async def _person(call: Call, writer: Writer) -> Colleague:
    person = await call.service(Directory).colleague(writer, call.principal.org_id, call.params["id"])
    if person is None:
        raise NotFound
    return person


async def _other(call: Call, writer: Writer, code: str, detail: str) -> Colleague:
    person = await _person(call, writer)
    if person.user.id == call.principal.user_id:
        raise Conflict(detail, code=code)
    return person


def _record(call: Call, writer: Writer, action: str, person: Colleague) -> None:
    writer.audit(action, ("user", person.user.id), detail={"username": person.user.username})
