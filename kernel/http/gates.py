"""The gates, in the order a request passes them. Every row passes all of them; no handler repeats one.

Who shows no token of ours may be known to a plugin (`decide_principal`). A token of ours is never anybody
else's to judge: one that has ended stays refused. Public rows ask no plugin.

A credential spends its own budget. Who has none that holds spends their address's: a flood of tokens that
nobody has is refused before the database is asked about each.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from guildhall_sdk import Auth, Forbidden, Host, NotFound, PermissionDenied, Principal, Reader, Route
from guildhall_sdk.errors import FeatureDisabled, Problem, RetryLater, Unauthenticated, Unavailable
from guildhall_sdk.plugin import Features, Plugins, Switches
from guildhall_sdk.routes import Verified
from kernel.config import Settings
from kernel.http.context import READING, Context, Endpoint, Gate, validator_of
from kernel.http.rates import too_many
from kernel.http.sign_in import OtherSignIns, check_provision_token
from kernel.identity.authenticate import OWN_PREFIXES, WORKER, KnownCallers, principal_with
from kernel.registry import BoundRoute
from kernel.tenancy.suspension import refuse_if_suspended, tenant_suspended_at
from kernel.validation import Validator
from libs.rate_limits import CallerBudgets, RateLimiter


async def verify(
    address: str, credential: str, prove: Callable[[], Awaitable[Verified]], rates: CallerBudgets
) -> Verified:
    """Returns whom a credential proves, within its own rate, or that of the address until it holds."""
    digest, counted = rates.check(address, credential)
    try:
        verified = await prove()
    except (Unavailable, RetryLater):
        raise
    except Problem:
        rates.count_unproven(address, digest)
        raise
    if not counted:
        rates.count(verified.principal.credential.id, digest)
    return verified


@dataclass(frozen=True, slots=True, eq=False)
class Authentication:
    """The first gate of every row; `others` is None where no plugin brings a way to sign in.

    `owners` are the plugins that declare the permissions, by the names of these.
    """

    settings: Settings
    rates: CallerBudgets
    row_limiters: Mapping[str, RateLimiter]
    owners: Mapping[str, str]
    callers: KnownCallers
    others: OtherSignIns | None = None

    def endpoint(self, bound: BoundRoute, host: Host, *, held: bool = False) -> Endpoint:
        """Prepares a row; one that is `held` now is released while the server runs."""
        made = endpoint_of(bound, host, self.rates, self._first_gate(bound), validator_of(bound.row))
        return replace(made, gates=(check_held, *made.gates)) if held else made

    def _first_gate(self, bound: BoundRoute) -> Gate:
        """Returns the gate for the class of a row."""
        auth = bound.row.auth
        if auth is Auth.PROVISION:
            return partial(check_provision_token, wanted=self.settings.provision_token, rates=self.rates)
        if auth is Auth.SUPERADMIN and not self.settings.multitenant:
            return _refuse_without_companies
        if auth is Auth.PUBLIC:
            return self._authenticate_optional
        return self._authenticate

    async def _authenticate(self, ctx: Context) -> None:
        token = ctx.bearer_token()
        if self.others is not None and not (token or "").startswith(OWN_PREFIXES):
            principal = await self.others.principal_of(ctx, self.rates)
            if principal is not None:
                still = partial(self._still_member, ctx, principal)
                ctx.sign_in(principal, Verified(principal=principal, look_up=still))
                return
        if token is None:
            self.rates.count_unproven(ctx.address_key)
            raise Unauthenticated("Sign in first: send Authorization: Bearer <token>.")
        prove = partial(self.callers.verify, token, ctx.now_ms)
        verified = await verify(ctx.address_key, token, prove, self.rates)
        if verified.principal.credential.kind == WORKER and not self._is_for_workers(ctx.endpoint.bound):
            raise _for_workers_alone(ctx.row)
        ctx.sign_in(verified.principal, verified)
        ctx.known = verified.remembered

    async def _authenticate_optional(self, ctx: Context) -> None:
        """Honours a token that holds on a public row, and ignores any other."""
        self.rates.count_public(ctx.address_key)
        token = ctx.bearer_token()
        if token is not None:
            with suppress(Forbidden, Unauthenticated):  # of somebody who is suspended, or nobody
                principal = (await self.callers.verify(token, ctx.now_ms)).principal
                if principal.credential.kind != WORKER or self._is_for_workers(ctx.endpoint.bound):
                    ctx.sign_in(principal)
        if (limiter := self.row_limiters.get(ctx.endpoint.bound.name)) is not None:
            wait = limiter.take(ctx.address_key)
            if wait is not None:
                raise too_many(wait, "Too many requests to this path")

    async def _still_member(self, ctx: Context, who: Principal, reader: Reader) -> Principal | None:
        """Asks the database, not the plugin again: a write must not wait for it."""
        end = who.credential.expires_at
        if end is not None and end <= ctx.host.clock.now_ms():
            return None
        return await principal_with(reader, who.credential, who.user_id, who.team_id, self.callers.roles)

    def _is_for_workers(self, bound: BoundRoute) -> bool:
        """Tells whether workers may call a row: its permission is theirs, and of the row's own plugin.

        A worker is in no team, which rows of other plugins count on whatever permission they ask for.
        """
        permission = bound.row.permission
        if permission is None or permission not in self.callers.roles.held_by(WORKER):
            return False
        return self.owners.get(permission) == bound.plugin_id


async def _refuse_without_companies(ctx: Context) -> None:
    raise NotFound("There is no such path on a single-company instance.")


def _for_workers_alone(row: Route) -> Forbidden:
    detail = "A worker's token opens the worker routes alone."
    if row.permission is not None:
        return PermissionDenied(row.permission, detail)
    return Forbidden(detail, code=PermissionDenied.code)


def endpoint_of(
    bound: BoundRoute,
    host: Host,
    rates: CallerBudgets,
    authenticate: Gate,
    validator: Validator | None = None,
) -> Endpoint:
    """Prepares a row: `authenticate` is its first gate, and the others that it needs follow in order."""
    row = bound.row
    stoppable = not (row.method in READING or row.while_suspended or row.auth is Auth.PROVISION)
    gates: list[Gate] = [check_suspension] if stoppable else []
    if row.auth not in (Auth.PUBLIC, Auth.PROVISION):
        gates += [check_feature, check_permission]
    return Endpoint(
        bound=bound,
        host=host,
        rates=rates,
        authenticate=authenticate,
        gates=tuple(gates),
        stoppable=stoppable,
        validator=validator,
    )


async def check_suspension(ctx: Context) -> None:
    """Refuses a write while the company or the tenant is suspended, before its body is read.

    The company's state came with the caller; the tenant's is read where there is a host, and by writes alone.
    What holds in the end is checked again inside the write: see `kernel.tenancy.suspension`.
    """
    tenant_suspended = False
    if ctx.host.settings.hosted:
        async with ctx.read() as reader:
            tenant_suspended = await tenant_suspended_at(reader) is not None
    company_suspended = ctx.who is not None and ctx.who.org_suspended
    if tenant_suspended or company_suspended:
        refuse_if_suspended(tenant=tenant_suspended, org=company_suspended)


async def check_held(ctx: Context) -> None:
    """Refuses a row that an upgrade of its plugin added, until an operator has approved it."""
    bound = ctx.endpoint.bound
    if bound.listed in ctx.service(Plugins).held("route"):
        detail = f"A newer version of the plugin {bound.plugin_id} adds this; no operator has approved it."
        raise Forbidden(detail, code="plugin_held", plugin=bound.plugin_id)


async def check_feature(ctx: Context) -> None:
    """Refuses a feature or a plugin that the team has switched off; its switches came with the caller."""
    who = ctx.principal
    if ctx.row.feature is not None or who.switches is not None:
        _check_switches(ctx, ctx.service(Features).of(who))


async def check_again(ctx: Context) -> None:
    """Checks for an answer that goes on that the caller and what the team switched on are as they were."""
    caller = await ctx.check_caller()
    if caller is not None:
        _check_switches(ctx, ctx.service(Features).of(caller))


def _check_switches(ctx: Context, switches: Switches) -> None:
    off = switches.switched_off(ctx.endpoint.bound.plugin_id, ctx.row.feature)
    if off is not None:
        raise FeatureDisabled(off)


async def check_permission(ctx: Context) -> None:
    """Refuses who may not. A judged row leaves the last word to the resource, never past the scope."""
    row, who = ctx.row, ctx.principal
    if row.session_only and not who.credential.is_session:
        raise Forbidden(
            "This wants a person's session; sign in with username and password.", code="session_required"
        )
    if who.credential.scope is not None:
        _check_scoped(row)
    if row.permission is None or row.permission in who.permissions:
        return
    if row.resource_decides and who.scope_allows(row.permission):
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
