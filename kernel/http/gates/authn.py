"""Who is it? A bearer token becomes a principal; the provisioning token opens its own plane."""

import hmac

from guildhall_sdk import Auth, Forbidden, NotFound, PermissionDenied, Route, Unauthenticated
from kernel.config import Settings
from kernel.http.context import Context
from kernel.identity.authenticate import principal_for

_EXECUTE = "jobs:execute"


async def authenticate(ctx: Context, settings: Settings) -> None:
    auth = ctx.bound.row.auth
    if auth is Auth.PROVISION:
        _check_provision_token(ctx, settings)
        return
    if auth is Auth.SUPERADMIN and not settings.multitenant:
        raise NotFound("There is no such path on a single-company instance.")
    token = bearer_token(ctx)
    if token is None:
        if auth is Auth.PUBLIC:
            return
        raise Unauthenticated("Sign in first: send Authorization: Bearer <token>.")
    async with ctx.read() as reader:
        principal = await principal_for(reader, token, ctx.now_ms)
    if principal is None:
        if auth is Auth.PUBLIC:
            return
        raise Unauthenticated("This token is unknown, expired or revoked; sign in again.")
    if principal.credential.kind == "worker" and not _is_for_workers(ctx.bound.row):
        if auth is Auth.PUBLIC:
            return
        raise _for_workers_alone(ctx.bound.row)
    ctx.sign_in(principal)


def _is_for_workers(row: Route) -> bool:
    """A worker is in no team: what a plugin mounts counts on one, whatever permission it asks for."""
    return row.permission == _EXECUTE and not row.path.startswith("/api/x/")


def _for_workers_alone(row: Route) -> Forbidden:
    detail = "A worker's token opens the worker routes alone."
    if row.permission is not None:
        return PermissionDenied(row.permission, detail)
    return Forbidden(detail, code=PermissionDenied.code)


def bearer_token(ctx: Context) -> str | None:
    """The credentials of the Authorization header, if it is of the Bearer scheme."""
    scheme, _, token = ctx.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def _check_provision_token(ctx: Context, settings: Settings) -> None:
    if settings.provision_token is None:
        raise NotFound("There is no such path outside hosted mode.")
    given = (bearer_token(ctx) or "").encode()
    if not hmac.compare_digest(given, settings.provision_token.encode()):
        raise Unauthenticated("The provisioning token is missing or wrong.")
