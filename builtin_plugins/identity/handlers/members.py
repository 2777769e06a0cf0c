"""The first run, and the people of the caller's team."""

from functools import partial
from typing import Any

from builtin_plugins.identity.schemas import check_names
from builtin_plugins.identity.throttle import hold_account, origin_of
from guildhall_sdk import (
    Actor,
    Call,
    Conflict,
    Forbidden,
    NotFound,
    Origin,
    PermissionDenied,
    Principal,
    Reply,
    Writer,
    created,
    cut_page,
    no_content,
    page,
    page_bounds,
    rfc3339_or_none,
)
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.principal import OWNER, Roles, is_demotion
from guildhall_sdk.services.identity import Credentials, NewToken, Passwords
from guildhall_sdk.services.notifications import JOINED, Notice, NotificationKind, notify
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.services.tenancy import Directory, Member
from guildhall_sdk.subscriptions import MEMBER_JOINED, MEMBER_LEFT, Events, MemberJoined, MemberLeft
from libs.names import username_key

ROLE_CHANGED = NotificationKind(
    name="identity.role_changed", title="identity.notice_role", text="identity.notice_role_text"
)
FIRST_SESSION_MS = 7 * 24 * 3600 * 1000


async def bootstrap(call: Call) -> Reply:
    """Creates the operator with the first company and team; of any number of callers one succeeds."""
    if call.host.settings.hosted:
        raise Forbidden("This instance is provisioned by its host.", code="hosted_mode")
    body, directory, passwords = call.body, call.service(Directory), call.service(Passwords)
    async with call.read() as reader:
        if await directory.has_users(reader):
            raise _already_done()
    check_names(body, "username", "org", "team", "display_name", "locale")
    await passwords.check_policy(body["username"], body["password"])
    password_hash = await passwords.hash(body["password"])
    async with call.write() as writer:
        if not await directory.claim_instance(writer):
            raise _already_done()
        org = await directory.create_org(writer, body.get("org", "My company"), plan="enterprise")
        team = await directory.create_team(writer, org.id, body.get("team", "General"))
        user = await directory.create_user(
            writer,
            org.id,
            body["username"],
            display_name=body.get("display_name"),
            locale=body.get("locale"),
            password_hash=password_hash,
            operator=True,
            org_role="org_owner",
        )
        member = await directory.add_member(writer, team.id, user.id, "owner")
        await call.service(Quotas).apply_plan(writer, org.id, org.plan)
        issued = await call.service(Credentials).issue(
            writer,
            NewToken(
                kind="session",
                user_id=user.id,
                team_id=team.id,
                expires_at=call.now_ms + FIRST_SESSION_MS,
                origin=origin_of(call),
            ),
        )
        actor = Actor(user.username, user.id, org.id, team.id, call.request_id)
        writer.audit("instance.bootstrapped", ("user", user.id), actor=actor)
        joined = MemberJoined(user_id=user.id, role=member.role)
        origin = Origin(org_id=org.id, team_id=team.id, user_id=user.id)
        await call.service(Events).emit(writer, MEMBER_JOINED, joined, origin)
    answer = {
        "token": issued.token,
        "expires_at": rfc3339_or_none(issued.expires_at),
        "user": user.public(),
        "org": org.public(),
        "team": {**team.public(), "role": member.role},
    }
    return created(answer, "/api/whoami", secret_id=issued.id)


def _already_done() -> Conflict:
    return Conflict("This instance has its first user; sign in instead.", code="already_bootstrapped")


async def add_member(call: Call) -> Reply:
    """Adds a member: a new person gets a first session, a colleague joins with what they have."""
    who, body, directory = call.principal, call.body, call.service(Directory)
    call.service(Roles).check_grantable(who, body["role"])
    check_names(body, "username", "display_name", "locale")
    async with call.read() as reader:
        known = await directory.user_by_name(reader, body["username"])
    password_hash = None if known is not None else await _hash_given_password(call)
    token = None
    async with call.write() as writer:
        # Two calls with one new name: the second finds the person whom the first made.
        await hold_account(writer, username_key(body["username"]))
        user = known or await directory.user_by_name(writer, body["username"])
        if user is None:
            user = await directory.create_user(
                writer,
                who.org_id,
                body["username"],
                display_name=body.get("display_name"),
                locale=body.get("locale"),
                password_hash=password_hash,
            )
            member = await directory.add_member(writer, who.team_id, user.id, body["role"])
            issued = await call.service(Credentials).issue(
                writer,
                NewToken(
                    kind="session",
                    user_id=user.id,
                    team_id=who.team_id,
                    expires_at=who.credential.bound_end(call.now_ms + FIRST_SESSION_MS, asked=False),
                    made_with=who.credential,
                ),
            )
            token = issued.token
        elif user.org_id != who.org_id:
            raise Conflict("That username is taken; choose another.", code="username_taken")
        else:
            member = await directory.add_member(writer, who.team_id, user.id, body["role"])
        detail = {"username": user.username, "role": member.role, "new": token is not None}
        writer.audit("member.added", ("user", user.id), detail=detail)
        joined = MemberJoined(user_id=user.id, role=member.role)
        await call.service(Events).emit(writer, MEMBER_JOINED, joined, Origin.of(who))
        await notify(call.host, writer, _notice(JOINED, who, user.id))
        _people_changed(call, writer)
    answer = {"member": member.public(), "token": token}
    return created(answer, f"/api/members/{user.id}", secret_id=user.id if token else None)


async def _hash_given_password(call: Call) -> str | None:
    password = call.body.get("password")
    if password is None:
        return None
    await call.service(Passwords).check_policy(call.body["username"], password)
    return await call.service(Passwords).hash(password)


async def list_members(call: Call) -> Reply:
    after, limit = page_bounds(call.query)
    async with call.read() as reader:
        members = await call.service(Directory).members(reader, call.principal.team_id, after, limit)
    visible, cursor = cut_page(members, limit, lambda member: member.user_id)
    return page([_listed(member) for member in visible], cursor)


def _listed(member: Member) -> dict[str, Any]:
    seen = rfc3339_or_none(member.last_seen_at)
    return {**member.public(), "status": member.status, "last_seen_at": seen}


async def change_role(call: Call) -> Reply:
    who, role, user_id = call.principal, call.body["role"], call.params["id"]
    directory = call.service(Directory)
    async with call.write() as writer:
        await directory.hold_people(writer, who.org_id)
        before = await directory.member(writer, who.team_id, user_id)
        if before is None:
            raise NotFound
        # What nobody may is told first: whoever asks, the last ones stay as they are.
        member = await directory.set_role(writer, who.team_id, user_id, role)
        _check_regradable(call.service(Roles), who, user_id, before.role, role)
        call.service(Roles).check_grantable(who, role)
        if before.role != role:
            detail = {"username": member.username, "from": before.role, "to": role}
            writer.audit("member.role_changed", ("user", user_id), detail=detail)
            await notify(call.host, writer, _notice(ROLE_CHANGED, who, user_id, role=role))
            _people_changed(call, writer)
    return Reply(member.public())


async def remove_member(call: Call) -> Reply:
    who, user_id, directory = call.principal, call.params["id"], call.service(Directory)
    async with call.write() as writer:
        await directory.hold_people(writer, who.org_id)
        member = await directory.member(writer, who.team_id, user_id)
        if member is None:
            raise NotFound
        await directory.remove_member(writer, who.team_id, user_id)
        _check_regradable(call.service(Roles), who, user_id, member.role, None)
        detail = {"username": member.username, "role": member.role}
        writer.audit("member.removed", ("user", user_id), detail=detail)
        left = MemberLeft(user_id=user_id, role=member.role)
        await call.service(Events).emit(writer, MEMBER_LEFT, left, Origin.of(who))
        _people_changed(call, writer)
    return no_content()


def _notice(kind: NotificationKind, who: Principal, user_id: str, **more: str) -> Notice:
    return Notice(
        kind=kind,
        org_id=who.org_id,
        team_id=who.team_id,
        people=[user_id],
        by=who.user_id,
        params={"by": who.display_name, "team": who.team_name, **more},
        link="/members",
    )


def _people_changed(call: Call, writer: Writer) -> None:
    lists, who = call.service(LiveLists), call.principal
    writer.after_commit(partial(lists.changed, "/api/members", who.team_id))
    writer.after_commit(partial(lists.changed, "/api/org/members", who.org_id))


def _check_regradable(roles: Roles, by: Principal, user_id: str, before: str, after: str | None) -> None:
    """Raises `PermissionDenied` unless the caller may change a member's role, or end it with None.

    Nobody raises their own role. An owner's is changed by those who could grant it.
    """
    if before == OWNER and after != OWNER:
        roles.check_grantable(by, OWNER)
    if after is not None and user_id == by.user_id and is_demotion(after, before):
        raise PermissionDenied("members:manage", "Nobody raises their own role; ask a colleague.")
