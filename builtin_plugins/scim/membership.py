"""Who is in which group, and what that makes them in a team or in the company."""

from functools import partial

from builtin_plugins.scim.answers import invalid_value, nobody
from builtin_plugins.scim.group_reading import Changes, Group, members_of
from builtin_plugins.scim.people import FIRST_ROLE
from builtin_plugins.scim.tokens import sql
from guildhall_sdk import Actor, Call, PermissionDenied, Row, Writer
from guildhall_sdk.principal import OWNER, role_includes
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.services.tenancy import Directory, People

#: What a group can give, the highest last; owners are made by people.
TEAM_ROLES = ("viewer", "translator", "reviewer", "localizer", "member", "admin")
ORG_ROLES = ("org_reader", "org_admin")


async def change_members(call: Call, writer: Writer, group: Group, changes: Changes) -> None:
    remove = list(changes.remove)
    if changes.all:
        there = await members_of(call, writer, group)
        remove = [row["user_id"] for row in there if row["user_id"] not in changes.add]
    if not group.is_team and (changes.add or remove):
        _check_may_give(call, group)
    for user_id in remove:
        await _take_out(call, writer, group, user_id)
    for user_id in changes.add:
        await _put_in(call, writer, group, user_id)
    if changes.add or remove:
        lists, org_id = call.service(LiveLists), call.principal.org_id
        writer.after_commit(partial(lists.changed, "/api/org/members", org_id))


def _check_may_give(call: Call, group: Group) -> None:
    who = call.principal
    if group.team_id is None and not who.operator:
        assert group.role is not None
        if not role_includes(who.org_role or "", group.role):
            raise PermissionDenied(group.role, f"Only the token of an {group.role} gives this role.")


async def _put_in(call: Call, writer: Writer, group: Group, user_id: str) -> None:
    row = await writer.one(sql.person, id=user_id, org_id=call.principal.org_id)
    if row is None:
        raise invalid_value("A member of the group is nobody in your company; create them first.")
    if group.team_id is None:
        await _record(call, writer, group.id, user_id)
        await _settle_company(call, writer, row)
        return
    member = await call.service(Directory).member(writer, group.team_id, user_id)
    if member is not None:  # what was given by hand stays when the directory takes its own away
        await _record(call, writer, group.team_id, user_id, member.role)
    await _record(call, writer, group.id, user_id)
    await _settle_team(call, writer, group.team_id, user_id)


async def _take_out(call: Call, writer: Writer, group: Group, user_id: str) -> None:
    org_id = call.principal.org_id
    row = await writer.one(sql.person, id=user_id, org_id=org_id)
    await writer.run(sql.delete_member, group_id=group.id, user_id=user_id, org_id=org_id)
    if row is None:
        return
    if group.team_id is None:
        await _settle_company(call, writer, row)
    else:
        await _settle_team(call, writer, group.team_id, user_id)


async def _record(call: Call, writer: Writer, group_id: str, user_id: str, role: str | None = None) -> None:
    binds = {"group_id": group_id, "user_id": user_id, "org_id": call.principal.org_id}
    await writer.one(sql.put_member, role=role, **binds)


async def _settle_team(call: Call, writer: Writer, team_id: str, user_id: str) -> None:
    """Gives somebody the highest role of their groups in a team, or none; an owner stays one until then."""
    directory, org_id = call.service(Directory), call.principal.org_id
    rows = await writer.all(
        sql.roles_in_team, user_id=user_id, org_id=org_id, team_id=team_id, fallback=FIRST_ROLE
    )
    wanted = max((row["role"] for row in rows), key=_rank, default=None)
    member = await directory.member(writer, team_id, user_id)
    if wanted is None and member is None:
        return
    team, user = await directory.team(writer, team_id), await directory.user(writer, user_id)
    if team is None or user is None or team.org_id != org_id:
        raise nobody()
    if member is None:
        await call.service(People).join(call, writer, user, team, str(wanted))
    elif wanted is None:
        await call.service(People).leave(call, writer, user, team, member.role)
    elif member.role not in (wanted, OWNER):
        await directory.set_role(writer, team_id, user_id, wanted)
        detail = {"username": user.username, "from": member.role, "to": wanted}
        writer.audit("member.role_changed", ("user", user_id), detail=detail, actor=actor_in(call, team_id))


def _rank(role: str) -> int:
    return len(TEAM_ROLES) if role == OWNER else TEAM_ROLES.index(role) if role in TEAM_ROLES else -1


async def _settle_company(call: Call, writer: Writer, person: Row) -> None:
    org_id, user_id = call.principal.org_id, person["id"]
    rows = await writer.all(sql.roles_in_company, user_id=user_id, org_id=org_id)
    wanted = max((row["role"] for row in rows), key=ORG_ROLES.index, default=None)
    before = person["org_role"]
    if before in ("org_owner", wanted):
        return
    await call.service(Directory).set_org_role(writer, org_id, user_id, wanted)
    detail = {"username": person["username"], "from": before, "to": wanted}
    writer.audit("org_role.changed", ("user", user_id), detail=detail)


def actor_in(call: Call, team_id: str) -> Actor:
    who = call.principal
    return Actor(who.username, who.user_id, who.org_id, team_id, call.request_id)
