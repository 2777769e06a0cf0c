"""People who join and leave teams, are suspended, let in again or removed, with all that hangs on it."""

from functools import partial
from typing import Any

from builtin_plugins.companies import links
from builtin_plugins.companies.ranks import check_over
from guildhall_sdk import Actor, Call, Event, NotFound, Origin, Writer
from guildhall_sdk.jobs import JobError
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.services.tenancy import Colleague, Directory, Team, User
from guildhall_sdk.subscriptions import (
    MEMBER_JOINED,
    MEMBER_LEFT,
    MEMBER_RESUMED,
    MEMBER_SUSPENDED,
    Events,
    MemberJoined,
    MemberLeft,
    MemberResumed,
    MemberSuspended,
)

_SUSPENDED = JobError("person_suspended", "Whoever asked for this was suspended.")
_REMOVED = JobError("person_removed", "Whoever asked for this is not in the team any more.")


class StoredPeople:
    """Implements the SDK's `People`."""

    async def set_suspended(self, call: Call, writer: Writer, user_id: str, suspended: bool) -> bool:
        person = await _person(call, writer, user_id)
        changed = await call.service(Directory).set_person_suspended(
            writer, call.principal.org_id, user_id, call.now_ms if suspended else None
        )
        check_over(call.principal, person)
        if not changed:
            return False
        _record(call, writer, "member.suspended" if suspended else "member.resumed", person)
        people_changed(call, writer, *(team for team, _ in person.teams))
        for team, _ in person.teams:
            if suspended:
                await call.service(Jobs).cancel_of_person(writer, team.id, user_id, _SUSPENDED, stop=True)
                await _emit(call, writer, MEMBER_SUSPENDED, MemberSuspended(user_id=user_id), team)
            else:
                await _emit(call, writer, MEMBER_RESUMED, MemberResumed(user_id=user_id), team)
        return True

    async def remove(self, call: Call, writer: Writer, user_id: str) -> None:
        who, directory = call.principal, call.service(Directory)
        await directory.hold_people(writer, who.org_id)
        person = await _person(call, writer, user_id)
        for team, role in person.teams:
            await _leave(call, writer, person.user, team, role)
        check_over(who, person)
        await directory.remove_person(writer, who.org_id, user_id)
        await links.delete_all(writer, user_id)
        _record(call, writer, "member.removed_from_company", person)
        people_changed(call, writer, *(team for team, _ in person.teams))

    async def join(self, call: Call, writer: Writer, user: User, team: Team, role: str) -> None:
        await call.service(Directory).add_member(writer, team.id, user.id, role)
        detail = {"username": user.username, "role": role, "team": team.name}
        writer.audit("member.added", ("user", user.id), detail=detail, actor=_actor(call, team))
        await _emit(call, writer, MEMBER_JOINED, MemberJoined(user_id=user.id, role=role), team)
        people_changed(call, writer, team)

    async def leave(self, call: Call, writer: Writer, user: User, team: Team, role: str) -> None:
        await _leave(call, writer, user, team, role)
        people_changed(call, writer, team)


async def _person(call: Call, writer: Writer, user_id: str) -> Colleague:
    person = await call.service(Directory).colleague(writer, call.principal.org_id, user_id)
    if person is None:
        raise NotFound
    return person


async def _leave(call: Call, writer: Writer, user: User, team: Team, role: str) -> None:
    await call.service(Directory).remove_member(writer, team.id, user.id)
    await call.service(Jobs).cancel_of_person(writer, team.id, user.id, _REMOVED)
    detail = {"username": user.username, "role": role}
    writer.audit("member.removed", ("user", user.id), detail=detail, actor=_actor(call, team))
    await _emit(call, writer, MEMBER_LEFT, MemberLeft(user_id=user.id, role=role), team)


async def _emit(call: Call, writer: Writer, event: Event, payload: Any, team: Team) -> None:
    await call.service(Events).emit(writer, event, payload, Origin.of(call.principal, team.id))


def people_changed(call: Call, writer: Writer, *teams: Team) -> None:
    """Has the lists of the company's people, and of those of the teams, read anew wherever they are open."""
    lists = call.service(LiveLists)
    writer.after_commit(partial(lists.changed, "/api/org/members", call.principal.org_id))
    if teams:
        writer.after_commit(partial(lists.changed, "/api/members", *(team.id for team in teams)))


def _record(call: Call, writer: Writer, action: str, person: Colleague) -> None:
    writer.audit(action, ("user", person.user.id), detail={"username": person.user.username})


def _actor(call: Call, team: Team) -> Actor:
    who = call.principal
    return Actor(who.username, who.user_id, who.org_id, team.id, call.request_id)
