"""Who is it, and how often? A bearer token becomes a principal; the provisioning token opens its own plane.

Who shows no token of ours may be known to a plugin (`decide_principal`). A token of ours is never anybody
else's to judge: one that has ended stays refused. Public rows ask no plugin.

A credential spends its own budget. Who has none that holds spends their address's: a flood of tokens that
nobody has is refused before the database is asked about each.
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from guildhall_sdk import (
    Auth,
    Forbidden,
    NotFound,
    PermissionDenied,
    Principal,
    Reader,
    Route,
    Unauthenticated,
)
from kernel.config import Settings
from kernel.http.budgets import CallerBudgets
from kernel.http.context import Context, LookUp
from kernel.http.gates import provision_brake
from kernel.http.gates.sign_in import OtherSignIns
from kernel.identity.authenticate import WORKER, principal_for, principal_with
from kernel.identity.tokens import is_own
from kernel.rbac import DeclaredRoles
from kernel.registry import BoundRoute

_PROVISION = "provision"


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
        auth = ctx.bound.row.auth
        if auth is Auth.PROVISION:
            await _check_provision_token(ctx, self.settings, self.rates)
            return
        if auth is Auth.SUPERADMIN and not self.settings.multitenant:
            raise NotFound("There is no such path on a single-company instance.")
        token = bearer_token(ctx)
        if auth is Auth.PUBLIC:
            self.rates.count_public(ctx.address)
            await self._greet(ctx, token)
            return
        if self.others is not None and (token is None or not is_own(token)):
            principal = await self.others.principal_of(ctx, scope, self.rates)
            if principal is not None:
                ctx.sign_in(principal, self._still_member(ctx, principal))
                return
        principal, look_up = await self._known(ctx, token)
        if principal.credential.kind == WORKER and not self._is_for_workers(ctx.bound):
            raise _for_workers_alone(ctx.bound.row)
        ctx.sign_in(principal, look_up)

    async def _greet(self, ctx: Context, token: str | None) -> None:
        """On a public row a token that holds is honoured, and any other is no matter."""
        principal = None if token is None else await self._look_up(ctx, token)
        if principal is None:
            return
        if principal.credential.kind != WORKER or self._is_for_workers(ctx.bound):
            ctx.sign_in(principal)

    async def _known(self, ctx: Context, token: str | None) -> tuple[Principal, LookUp]:
        """The caller, and how to find out whether they still are who they were."""
        if token is None:
            self.rates.count_unproven(ctx.address)
            raise Unauthenticated("Sign in first: send Authorization: Bearer <token>.")
        self.rates.check(ctx.address, token)
        principal = await self._look_up(ctx, token)
        if principal is None:
            self.rates.count_unproven(ctx.address, token)
            raise Unauthenticated("This token is unknown, expired or revoked; sign in again.")
        self.rates.count(principal.credential.id, token)
        return principal, lambda reader: principal_for(reader, token, ctx.host.clock.now_ms(), self.roles)

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
        """A worker is in no team: what other plugins bring counts on one, whatever permission it asks for."""
        permission = bound.row.permission
        if permission is None or permission not in self.roles.held_by(WORKER):
            return False
        return self.owners.get(permission) == bound.plugin_id


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
