"""May this caller do it? A judged row leaves the last word to the resource, never past the scope."""

from guildhall_sdk import Auth, Forbidden, PermissionDenied, Route
from kernel.http.context import READING, Context


def check_permission(ctx: Context) -> None:
    row = ctx.bound.row
    if row.auth in (Auth.PUBLIC, Auth.PROVISION):
        return
    if row.session_only and not ctx.principal.credential.is_session:
        raise Forbidden(
            "This wants a person's session; sign in with username and password.", code="session_required"
        )
    if ctx.principal.credential.scope is not None:
        _check_scoped(row)
    if row.permission is None or ctx.principal.may(row.permission):
        return
    if row.judged and ctx.principal.scope_allows(row.permission):
        return
    raise PermissionDenied(row.permission)


def _check_scoped(row: Route) -> None:
    """A scope lists permissions: of what needs none it leaves only the reading."""
    if row.unscoped:
        raise Forbidden(
            "This wants a session, or a token without a scope; sign in with username and password.",
            code="session_required",
        )
    if row.permission is None and row.method not in READING and not row.judged:
        raise Forbidden(
            "A credential with a scope only reads here; use a session, or a token without a scope.",
            code=PermissionDenied.code,
        )
