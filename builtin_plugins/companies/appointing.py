"""Who gives a role in the company to whom."""

from guildhall_sdk import Call, Forbidden, PermissionDenied, Principal, Writer
from guildhall_sdk.services.roles import Roles
from guildhall_sdk.services.tenancy import Directory, User

_HIGHEST = "org_owner"


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
        # Two owners who clear each other's role at once: whoever comes second is an owner no more.
        caller = await directory.user(writer, who.user_id)
        if caller is None or caller.org_role != _HIGHEST:
            raise _owners_only()
    detail = {"username": user.username, "from": before, "to": org_role}
    writer.audit("org_role.changed", ("user", user.id), detail=detail)


def _owners_only() -> PermissionDenied:
    return PermissionDenied(_HIGHEST, "Only an org_owner sets or clears org_owner.")
