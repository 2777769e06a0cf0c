"""May this caller do it? A judged row leaves the last word to the resource, never past the scope."""

from guildhall_sdk import Forbidden, PermissionDenied
from kernel.http.context import Context


def check_permission(ctx: Context) -> None:
    row = ctx.bound.row
    if row.session_only and ctx.principal.credential.kind != "session":
        raise Forbidden(
            "This wants a person's session; sign in with username and password.", code="session_required"
        )
    if row.permission is None or ctx.principal.may(row.permission):
        return
    if row.judged and ctx.principal.scope_allows(row.permission):
        return
    raise PermissionDenied(row.permission)
