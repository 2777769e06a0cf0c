"""The gates, in the order a request passes them. Every row passes all of them; no handler repeats one.

Who shows no token of ours may be known to a plugin (`decide_principal`). A token of ours is never anybody
else's to judge: one that has ended stays refused. Public rows ask no plugin.

A credential spends its own budget. Who has none that holds spends their address's: a flood of tokens that
nobody has is refused before the database is asked about each.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from guildhall_sdk import (
    Auth,
    Forbidden,
    Host,
    Metric,
    NotFound,
    PermissionDenied,
    Principal,
    Problem,
    Reader,
    Route,
    Unavailable,
)
from guildhall_sdk.errors import FeatureDisabled, RetryLater, Unauthenticated
from guildhall_sdk.metrics import Measured
from guildhall_sdk.plugin import Features
from guildhall_sdk.routes import Verified
from kernel.config import Settings
from kernel.http.context import READING, Context, LookUp
from kernel.http.rates import too_many
from kernel.http.sign_in import OtherSignIns, check_provision_token
from kernel.identity.authenticate import WORKER, is_own, principal_for, principal_with
from kernel.rbac import DeclaredRoles
from kernel.registry import BoundRoute
from kernel.tenancy.suspension import refuse_if_suspended, tenant_suspended_at
from libs.rate_limits import CallerBudgets, SharedRates


async def verify(
    address: str, credential: str, prove: Callable[[], Awaitable[Verified]], rates: CallerBudgets
) -> Verified:
    """Returns whom a credential proves, within its own rate, or that of the address until it holds."""
    digest = rates.check(address, credential)
    try:
        verified = await prove()
    except (Unavailable, RetryLater):
        raise
    except Problem:
        rates.count_unproven(address, digest)
        raise
    rates.count(verified.principal.credential.id, digest)
    return verified


@dataclass(frozen=True, slots=True)
class Authentication:
    """The first gate of every row; `others` is None where no plugin brings a way to sign in.

    `owners` are the plugins that declare the permissions, by the names of these.
    """

    settings: Settings
    rates: CallerBudgets
    roles: DeclaredRoles
    owners: Mapping[str, str]
    others: OtherSignIns | None = None

    async def __call__(self, ctx: Context, scope: Mapping[str, Any]) -> None:
        auth, token = ctx.bound.row.auth, bearer_token(ctx)
        ctx.rates = self.rates
        if auth is Auth.PROVISION:
            await check_provision_token(ctx, token, self.settings.provision_token, self.rates)
            return
        if auth is Auth.SUPERADMIN and not self.settings.multitenant:
            raise NotFound("There is no such path on a single-company instance.")
        if auth is Auth.PUBLIC:
            self.rates.count_public(ctx.address_key)
            await self._authenticate_optional(ctx, token)
            return
        if self.others is not None and (token is None or not is_own(token)):
            principal = await self.others.principal_of(ctx, scope, self.rates)
            if principal is not None:
                ctx.sign_in(principal, self._still_member(ctx, principal))
                return
        if token is None:
            self.rates.count_unproven(ctx.address_key)
            raise Unauthenticated("Sign in first: send Authorization: Bearer <token>.")
        verified = await verify(ctx.address_key, token, partial(self._verify, ctx, token), self.rates)
        if verified.principal.credential.kind == WORKER and not self._is_for_workers(ctx.bound):
            raise _for_workers_alone(ctx.bound.row)
        ctx.sign_in(verified.principal, verified.look_up)

    async def _authenticate_optional(self, ctx: Context, token: str | None) -> None:
        """Honours a token that holds on a public row, and ignores any other."""
        principal = None
        with suppress(Forbidden):  # of somebody who is suspended
            principal = None if token is None else await self._look_up(ctx, token)
        if principal is None:
            return
        if principal.credential.kind != WORKER or self._is_for_workers(ctx.bound):
            ctx.sign_in(principal)

    async def _verify(self, ctx: Context, token: str) -> Verified:
        """Returns the caller, and how to find out whether they still are who they were."""
        principal = await self._look_up(ctx, token)
        if principal is None:
            raise Unauthenticated("This token is unknown, expired or revoked; sign in again.")
        return Verified(
            principal=principal,
            look_up=lambda reader: principal_for(reader, token, ctx.host.clock.now_ms(), self.roles),
        )

    async def _look_up(self, ctx: Context, token: str) -> Principal | None:
        async with ctx.read() as reader:
            return await principal_for(reader, token, ctx.now_ms, self.roles)

    def _still_member(self, ctx: Context, principal: Principal) -> LookUp:
        """Asks the database, not the plugin again: a write must not wait for it."""
        credential = principal.credential

        async def look_up(reader: Reader) -> Principal | None:
            if credential.expires_at is not None and credential.expires_at <= ctx.host.clock.now_ms():
                return None
            return await principal_with(reader, credential, principal.user_id, principal.team_id, self.roles)

        return look_up

    def _is_for_workers(self, bound: BoundRoute) -> bool:
        """Tells whether workers may call a row: its permission is theirs, and of the row's own plugin.

        A worker is in no team, which rows of other plugins count on whatever permission they ask for.
        """
        permission = bound.row.permission
        if permission is None or permission not in self.roles.held_by(WORKER):
            return False
        return self.owners.get(permission) == bound.plugin_id


def bearer_token(ctx: Context) -> str | None:
    """Returns the credentials of the Authorization header, if it is of the Bearer scheme."""
    scheme, _, token = ctx.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def _for_workers_alone(row: Route) -> Forbidden:
    detail = "A worker's token opens the worker routes alone."
    if row.permission is not None:
        return PermissionDenied(row.permission, detail)
    return Forbidden(detail, code=PermissionDenied.code)


class RowLimits:
    """One budget for each row with a `limit`, beside what an address may spend on all public rows."""

    def __init__(self, routes: Sequence[BoundRoute], rates: SharedRates, *, off: bool) -> None:
        self._limiters = {
            bound.name: rates.limiter(f"row.{bound.row.method}:{bound.row.path}", bound.row.limit)
            for bound in routes
            if bound.row.limit and not off
        }
        self._refusals = 0

    def count(self, ctx: Context) -> None:
        """Raises `TooManyRequests` with `Retry-After`."""
        limiter = self._limiters.get(ctx.bound.name)
        wait = None if limiter is None else limiter.take(ctx.address_key)
        if wait is None:
            return
        self._refusals += 1
        raise too_many(wait, "Too many requests to this path")

    def metric(self) -> Metric:
        async def measure(host: Host, reader: Reader) -> Measured:
            return {(): self._refusals}

        return Metric(
            "guildhall_row_limit_refusals_total",
            "Requests refused because their address called one public row too often",
            "counter",
            measure=measure,
        )


async def check_suspension(ctx: Context) -> None:
    """Refuses a write while the company or the tenant is suspended, before its body is read.

    The company's state came with the caller; the tenant's is read where there is a host, and by writes alone.
    What holds in the end is checked again inside the write: see `kernel.tenancy.suspension`.
    """
    if ctx.within is None:
        return
    tenant_suspended = False
    if ctx.host.settings.hosted:
        async with ctx.read() as reader:
            tenant_suspended = await tenant_suspended_at(reader) is not None
    refuse_if_suspended(tenant=tenant_suspended, org=ctx.signed_in and ctx.principal.org_suspended)


def check_feature(ctx: Context) -> None:
    """Refuses a feature or a plugin that the team has switched off; its switches came with the caller."""
    bound = ctx.bound
    if not ctx.signed_in or bound.row.auth is Auth.PUBLIC:
        return
    if bound.row.feature is None and ctx.principal.switches is None:
        return
    off = ctx.service(Features).of(ctx.principal).switched_off(bound.plugin_id, bound.row.feature)
    if off is not None:
        raise FeatureDisabled(off)


async def check_feature_again(ctx: Context) -> None:
    """Checks the feature again for an answer that goes on, as the team may have switched it since."""
    bound = ctx.bound
    if not ctx.signed_in or bound.row.auth is Auth.PUBLIC:
        return
    async with ctx.read() as reader:
        switches = await ctx.service(Features).of_team(reader, ctx.principal.team_id)
    off = switches.switched_off(bound.plugin_id, bound.row.feature)
    if off is not None:
        raise FeatureDisabled(off)


def check_permission(ctx: Context) -> None:
    """Refuses who may not. A judged row leaves the last word to the resource, never past the scope."""
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
    if row.resource_decides and ctx.principal.scope_allows(row.permission):
        return
    raise PermissionDenied(row.permission)


def _check_scoped(row: Route) -> None:
    """Refuses a scoped credential what needs no permission, but for reading: a scope lists permissions."""
    if row.unscoped:
        raise Forbidden(
            "This wants a session, or a token without a scope; sign in with username and password.",
            code="session_required",
        )
    if row.permission is None and row.method not in READING and not row.resource_decides:
        raise Forbidden(
            "A credential with a scope only reads here; use a session, or a token without a scope.",
            code=PermissionDenied.code,
        )
