"""Who is it? A bearer token becomes a principal; the provisioning token opens its own plane."""

import hmac

from guildhall_sdk import Auth, NotFound, Unauthenticated
from kernel.config import Settings
from kernel.http.context import Context
from kernel.identity.authenticate import principal_for


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
    if principal is not None:
        ctx.sign_in(principal)
    elif auth is not Auth.PUBLIC:
        raise Unauthenticated("This token is unknown, expired or revoked; sign in again.")


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
