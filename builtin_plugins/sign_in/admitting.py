"""Letting somebody in: the person, their teams as the rules say, and the session."""

import hashlib
import secrets
from collections.abc import Iterator
from functools import partial

from builtin_plugins.sign_in.deciding import REFUSALS, Decision, Membership, Person, decide
from builtin_plugins.sign_in.way import Way, sql
from guildhall_sdk import Actor, Call, Conflict, Forbidden, Origin, Problem, Reply, Writer
from guildhall_sdk.jobs import JobError
from guildhall_sdk.principal import is_demotion
from guildhall_sdk.services.identity import SignIns, Vault
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.notifications import Emails
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.services.sign_in import SignInProof
from guildhall_sdk.services.tenancy import Directory, User
from guildhall_sdk.subscriptions import MEMBER_JOINED, MEMBER_LEFT, Events, MemberJoined, MemberLeft
from libs.names import USERNAME_MAX, account_lock, username_key

HINT = "sign_in.hint"
_SUFFIX_MAX = 8


def refused(code: str) -> Forbidden:
    """Returns the refusal of somebody who proved who they are elsewhere, and does not come in here."""
    return Forbidden(REFUSALS[code], code=code)


async def admit(call: Call, writer: Writer, way: Way, proof: SignInProof) -> Reply | Problem:
    """Begins the session of a proof; makes or links the person first where that is to be.

    A refusal that is returned took memberships away: it is to be raised after the write.
    """
    key = way.subject_key(call.host, proof.subject)
    await writer.serialize(f"sign-in:{way.id}:{key}")
    decision = await decide(writer, call.host, way, proof.claims, proof.subject)
    if decision.code == "no_access" and decision.user is not None:
        await _follow_rules(call, writer, way, decision.user, decision)
        return refused(decision.code)
    if decision.code is not None:
        raise refused(decision.code)
    user = await _person(call, writer, way, decision, proof)
    await writer.serialize(account_lock(username_key(user.username)))
    if decision.outcome != "sign_in":
        await link(call, writer, way, proof.subject, user)
    await _follow_rules(call, writer, way, user, decision)
    return await begin(call, writer, way, proof, user)


async def begin(call: Call, writer: Writer, way: Way, proof: SignInProof, user: User) -> Reply:
    """Begins a session, and notes what ends the one on the other side."""
    begun = await call.service(SignIns).begin(call, writer, user.id, way=way.id)
    hint = None if proof.hint is None else call.service(Vault).seal(HINT, proof.hint)
    await writer.run(
        sql.note_session,
        session_id=begun.secret_id,
        way_id=way.id,
        org_id=user.org_id,
        user_id=user.id,
        foreign_session=None if proof.session is None else session_key(proof.session),
        hint=hint,
    )
    return begun


def session_key(session: str) -> str:
    """Returns what the id of a session over there is stored as, whatever signs it is made of."""
    return hashlib.sha256(session.encode(errors="surrogatepass")).hexdigest()


async def link(call: Call, writer: Writer, way: Way, subject: str, user: User) -> None:
    """Notes who a subject is here, for good; raises `Conflict` where it is somebody else."""
    key = way.subject_key(call.host, subject)
    binds = {"way_id": way.id, "subject": key, "org_id": user.org_id, "now": call.now_ms}
    if await writer.one(sql.link, user_id=user.id, **binds) is None:
        if await writer.value(sql.linked_person, way_id=way.id, subject=key) != user.id:
            raise Conflict("That account of the other side is somebody else's here.", code="already_linked")
        return
    actor = Actor(user.username, user.id, user.org_id, request_id=call.request_id)
    writer.audit("sign_in.linked", ("user", user.id), detail={"way": way.id}, actor=actor)


async def _person(call: Call, writer: Writer, way: Way, decision: Decision, proof: SignInProof) -> User:
    if decision.user is not None:
        return decision.user
    assert decision.org is not None
    person = Person.of(proof.claims)
    assert person.username is not None
    for username in _usernames(person.username):
        try:
            user = await call.service(Directory).create_user(
                writer, decision.org.id, username, display_name=person.name, locale=person.locale
            )
        except Conflict:
            continue
        break
    emails = call.host.find_service(Emails)
    if emails is not None and person.email is not None and person.is_verified is True:
        await emails.give(writer, user.org_id, user.id, person.email)
    actor = _actor(call, user, decision.memberships[0].team.id)
    detail = {"username": user.username, "way": way.id}
    writer.audit("sign_in.person_created", ("user", user.id), detail=detail, actor=actor)
    return user


def _usernames(wanted: str) -> Iterator[str]:
    """Yields the name itself, then numbered, then with chance: the last cannot all be taken."""
    yield wanted
    base = wanted[: USERNAME_MAX - _SUFFIX_MAX].rstrip()
    for number in range(2, 10):
        yield f"{base}-{number}"
    while True:
        yield f"{base}-{secrets.token_hex(3)}"


async def _follow_rules(call: Call, writer: Writer, way: Way, user: User, decision: Decision) -> None:
    """Gives the memberships that rules give now, and takes away those that they gave and do not any more."""
    binds = {"way_id": way.id, "user_id": user.id, "org_id": user.org_id}
    granted = {row["team_id"] for row in await writer.all(sql.granted, **binds)}
    for membership in decision.memberships:
        await _give(call, writer, way, user, membership, is_granted=membership.team.id in granted)
    for team_id in sorted(granted - {membership.team.id for membership in decision.memberships}):
        await _take(call, writer, way, user, team_id)


async def _give(
    call: Call, writer: Writer, way: Way, user: User, membership: Membership, *, is_granted: bool
) -> None:
    directory, team = call.service(Directory), membership.team
    before = await directory.member(writer, team.id, user.id)
    if before is None:
        await directory.add_member(writer, team.id, user.id, membership.role)
        detail = {"username": user.username, "role": membership.role, "way": way.id}
        writer.audit("member.added", ("user", user.id), detail=detail, actor=_actor(call, user, team.id))
        joined = MemberJoined(user_id=user.id, role=membership.role)
        await call.service(Events).emit(writer, MEMBER_JOINED, joined, _origin(user, team.id))
    elif before.role == membership.role:
        return
    elif is_granted or (membership.rule is not None and not is_demotion(before.role, membership.role)):
        try:
            async with writer.savepoint():
                await directory.set_role(writer, team.id, user.id, membership.role)
        except Conflict:  # the last one who could do what they can
            return
        detail = {"username": user.username, "from": before.role, "to": membership.role, "way": way.id}
        actor = _actor(call, user, team.id)
        writer.audit("member.role_changed", ("user", user.id), detail=detail, actor=actor)
    else:
        return
    grant = {"way_id": way.id, "team_id": team.id, "user_id": user.id, "org_id": user.org_id}
    await writer.run(sql.note_grant, **grant)
    _people_changed(call, writer, user, team.id)


async def _take(call: Call, writer: Writer, way: Way, user: User, team_id: str) -> None:
    directory = call.service(Directory)
    before = await directory.member(writer, team_id, user.id)
    if before is not None:
        try:
            async with writer.savepoint():
                await directory.remove_member(writer, team_id, user.id)
        except Conflict:  # the last one who could do what they can
            return
        because = JobError("person_removed", "Whoever asked for this is not in the team any more.")
        await call.service(Jobs).cancel_of_person(writer, team_id, user.id, because)
        detail = {"username": user.username, "role": before.role, "way": way.id}
        actor = _actor(call, user, team_id)
        writer.audit("member.removed", ("user", user.id), detail=detail, actor=actor)
        left = MemberLeft(user_id=user.id, role=before.role)
        await call.service(Events).emit(writer, MEMBER_LEFT, left, _origin(user, team_id))
        _people_changed(call, writer, user, team_id)
    grant = {"way_id": way.id, "team_id": team_id, "user_id": user.id, "org_id": user.org_id}
    await writer.run(sql.forget_grant, **grant)


def _actor(call: Call, user: User, team_id: str) -> Actor:
    return Actor(user.username, user.id, user.org_id, team_id, call.request_id)


def _origin(user: User, team_id: str) -> Origin:
    return Origin(org_id=user.org_id, team_id=team_id, user_id=user.id)


def _people_changed(call: Call, writer: Writer, user: User, team_id: str) -> None:
    lists = call.host.find_service(LiveLists)
    if lists is not None:
        writer.after_commit(partial(lists.changed, "/api/members", team_id))
        writer.after_commit(partial(lists.changed, "/api/org/members", user.org_id))
