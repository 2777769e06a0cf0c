"""Who stands above whom: nobody gets hold of an account that may do more than they, or gives more."""

from guildhall_sdk import Call, Forbidden, NotFound, PermissionDenied, Principal, Writer
from guildhall_sdk.principal import ORG_ROLES, OWNER, Roles, is_demotion
from guildhall_sdk.services.sign_in import check_step_up
from guildhall_sdk.services.tenancy import Colleague, Directory, User

MANAGE = "org:manage"
_HIGHEST = "org_owner"


def check_invitable(roles: Roles, by: Principal, person: Colleague) -> None:
    """Raises unless the caller could have given the person all that they are."""
    _check_reach(roles, by, person, strictly=False)


def check_below(roles: Roles, by: Principal, person: Colleague) -> None:
    """Raises unless the person ranks below the caller: in the company, and in every team of theirs."""
    _check_reach(roles, by, person, strictly=True)


def check_over(by: Principal, person: Colleague) -> None:
    """Raises where who manages the company may not end somebody's stay: owners and operators are others'."""
    if person.user.operator and not by.operator:
        raise PermissionDenied("instance:manage", "They operate the instance; only an operator does this.")
    if person.user.org_role == _HIGHEST and by.org_role != _HIGHEST and not by.operator:
        raise PermissionDenied(_HIGHEST, "They own the company; only an org_owner does this.")


def _check_reach(roles: Roles, by: Principal, person: Colleague, *, strictly: bool) -> None:
    user = person.user
    manages = by.operator or by.may(MANAGE)
    if by.team_id not in {team.id for team, _ in person.teams}:
        raise NotFound
    if user.operator and (strictly or not by.operator):
        raise _above("instance:manage")
    if by.operator:
        return
    above = _org_rank(user.org_role) - _org_rank(by.org_role)
    if above > 0 or (strictly and above == 0 and user.org_role is not None):
        raise _above(MANAGE)
    for team, role in person.teams:
        if missing := sorted(roles.held_by(role) - by.permissions):
            raise _above(missing[0])
        if manages:
            continue
        if team.id != by.team_id:
            raise PermissionDenied(
                MANAGE, "They are in other teams too; ask who manages the company to do this."
            )
        if (strictly and not is_demotion(by.role, role)) or (role == OWNER and by.role != OWNER):
            raise _above(MANAGE)


def _org_rank(org_role: str | None) -> int:
    return 0 if org_role is None else 1 + ORG_ROLES.index(org_role)


def _above(permission: str) -> PermissionDenied:
    return PermissionDenied(permission, "They may do as much as you; ask somebody who ranks above them.")


def check_appointable(roles: Roles, by: Principal, before: str | None, after: str | None) -> None:
    """Raises unless the caller may give the role.

    Nobody gives a role that holds what they do not hold; only an org_owner sets or clears org_owner.
    """
    if _HIGHEST in (before, after) and by.org_role != _HIGHEST:
        raise _owners_only()
    if missing := sorted(roles.held_by(after or "") - by.permissions):
        raise PermissionDenied(missing[0], f"To grant the role {after} you need {missing[0]} yourself.")


async def appoint(call: Call, writer: Writer, user: User, org_role: str | None) -> None:
    """Sets or clears a colleague's role in the company; never one's own, and never the last org_owner's."""
    who, directory = call.principal, call.service(Directory)
    if user.id == who.user_id:
        raise Forbidden("Nobody changes their own role in the company; ask a colleague.", code="own_role")
    check_appointable(call.service(Roles), who, user.org_role, org_role)
    before = await directory.set_org_role(writer, who.org_id, user.id, org_role)
    if before == org_role:
        return
    if _HIGHEST in (before, org_role):
        await check_step_up(call, writer)
        # Two owners who clear each other's role at once: whoever comes second is an owner no more.
        caller = await directory.user(writer, who.user_id)
        if caller is None or caller.org_role != _HIGHEST:
            raise _owners_only()
    detail = {"username": user.username, "from": before, "to": org_role}
    writer.audit("org_role.changed", ("user", user.id), detail=detail)


def _owners_only() -> PermissionDenied:
    return PermissionDenied(_HIGHEST, "Only an org_owner sets or clears org_owner.")
