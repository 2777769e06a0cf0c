"""Who is it, and how often? A bearer token becomes a principal; the provisioning token opens its own plane.

A credential spends its own budget. Who has none that holds spends their address's: a flood of tokens that
nobody has is refused before the database is asked about each.
"""

import hmac

from guildhall_sdk import Auth, Forbidden, NotFound, PermissionDenied, Principal, Route, Unauthenticated
from kernel.config import Settings
from kernel.http.budgets import CallerBudgets
from kernel.http.context import Context, LookUp
from kernel.http.gates import provision_brake
from kernel.identity.authenticate import principal_for

_EXECUTE = "jobs:execute"
_PROVISION = "provision"


async def authenticate(ctx: Context, settings: Settings, rates: CallerBudgets) -> None:
    auth = ctx.bound.row.auth
    if auth is Auth.PROVISION:
        await _check_provision_token(ctx, settings, rates)
        return
    if auth is Auth.SUPERADMIN and not settings.multitenant:
        raise NotFound("There is no such path on a single-company instance.")
    token = bearer_token(ctx)
    if auth is Auth.PUBLIC:
        rates.count_public(ctx.address)
        await _greet(ctx, token)
        return
    principal, look_up = await _known(ctx, token, rates)
    if principal.credential.kind == "worker" and not _is_for_workers(ctx.bound.row):
        raise _for_workers_alone(ctx.bound.row)
    ctx.sign_in(principal, look_up)


async def _greet(ctx: Context, token: str | None) -> None:
    """On a public row a token that holds is honoured, and any other is no matter."""
    principal = None if token is None else await _look_up(ctx, token)
    if principal is not None and (principal.credential.kind != "worker" or _is_for_workers(ctx.bound.row)):
        ctx.sign_in(principal)


async def _known(ctx: Context, token: str | None, rates: CallerBudgets) -> tuple[Principal, LookUp]:
    """The caller, and how to find out whether they still are who they were."""
    if token is None:
        rates.count_unproven(ctx.address)
        raise Unauthenticated("Sign in first: send Authorization: Bearer <token>.")
    rates.check(ctx.address, token)
    principal = await _look_up(ctx, token)
    if principal is None:
        rates.count_unproven(ctx.address, token)
        raise Unauthenticated("This token is unknown, expired or revoked; sign in again.")
    rates.count(principal.credential.id, token)
    return principal, lambda reader: principal_for(reader, token, ctx.host.clock.now_ms())


async def _look_up(ctx: Context, token: str) -> Principal | None:
    async with ctx.read() as reader:
        return await principal_for(reader, token, ctx.now_ms)


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


async def _check_provision_token(ctx: Context, settings: Settings, rates: CallerBudgets) -> None:
    if settings.provision_token is None:
        raise NotFound("There is no such path outside hosted mode.")
    given, refusal = bearer_token(ctx), Unauthenticated("The provisioning token is missing or wrong.")
    if given is None:
        rates.count_unproven(ctx.address)
        raise refusal
    rates.check(ctx.address, given)
    await provision_brake.check(ctx)
    if not hmac.compare_digest(given.encode(), settings.provision_token.encode()):
        rates.count_unproven(ctx.address, given)
        await provision_brake.record_failure(ctx)
        raise refusal
    await provision_brake.forgive(ctx)
    rates.count(_PROVISION, given)
