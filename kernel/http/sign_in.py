"""Ways in beside a token of ours: plugins say who it is, and the provisioning token opens its own plane.

Wrong provisioning tokens are counted in the database: every process of an instance counts together.
"""

import hmac
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from guildhall_sdk import Actor, Forbidden, NotFound, Principal, Reader, TooManyRequests, load_queries, new_id
from guildhall_sdk.errors import Unauthenticated
from guildhall_sdk.principal import CredentialKind, SignInRequest
from kernel.http.app import PEER
from kernel.http.context import READING, Context
from kernel.identity.sign_in import answer_fault, principal_named
from kernel.logs import get_logger
from kernel.plugins.hooks import DENIED, HookRunner
from kernel.rbac import DeclaredRoles
from kernel.registry import Registry
from libs.rate_limits import CallerBudgets

_sql = load_queries(Path(__file__).with_name("provision_failures.sql"))

FAILURE_WINDOW_MS = 15 * 60 * 1000
FAILURES_PER_ADDRESS = 10
_SWEPT_PER_FAILURE = 100
_PROVISION = "provision"
_log = get_logger("identity")
_OUT_OF_ORDER = "This way to sign in is out of order; ask the operator to look into the log."
_OWN_SITE = frozenset({"same-origin", "none"})

#: Asks the plugins; gives the id of the one that knows the caller, and its answer.
Ask = Callable[[SignInRequest], Awaitable[tuple[str, Any] | None]]


def bearer_token(ctx: Context) -> str | None:
    """Returns the credentials of the Authorization header, if it is of the Bearer scheme."""
    scheme, _, token = ctx.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


@dataclass(frozen=True, slots=True)
class OtherSignIns:
    """The `decide_principal` hooks; `kinds` are the kinds of credentials that each plugin declares."""

    ask: Ask
    kinds: Mapping[str, Sequence[str]]
    roles: DeclaredRoles

    @classmethod
    def of_plugins(cls, hooks: HookRunner, registry: Registry, roles: DeclaredRoles) -> "OtherSignIns | None":
        """Returns the sign-ins of plugins, or None where there are none: nobody then waits for any."""
        plugin_ids = hooks.implementers("decide_principal")
        if not plugin_ids:
            return None
        declared = registry.owned(CredentialKind)
        kinds = {one: [kind.name for owner, kind in declared if owner == one] for one in plugin_ids}
        ask = partial(hooks.decide, "decide_principal", refusal=(Unauthenticated,))
        return cls(lambda request: ask(request=request), kinds, roles)

    async def principal_of(self, ctx: Context, rates: CallerBudgets) -> Principal | None:
        """Returns whom a plugin knows the caller as, or None; raises `Unauthenticated` where one refuses."""
        authorization = ctx.headers.get("authorization", "")
        digest = rates.check_address(ctx.address_key, authorization)
        try:
            principal = await self._identify(ctx)
        except (Unauthenticated, Forbidden):
            rates.count_unproven(ctx.address_key, digest)
            raise
        if principal is not None:
            rates.count(principal.credential.id, digest)
            _refuse_other_sites(ctx)
        return principal

    async def _identify(self, ctx: Context) -> Principal | None:
        found = await self.ask(_request(ctx))
        if found is None:
            return None
        plugin_id, answer = found
        kinds = self.kinds[plugin_id]
        if answer is DENIED:
            raise Unauthenticated(_OUT_OF_ORDER)
        if (fault := answer_fault(answer, kinds)) is not None:
            _log.error("sign_in.refused", plugin=plugin_id, reason=f"decide_principal: {fault}")
            raise Unauthenticated(_OUT_OF_ORDER)
        async with ctx.read() as reader:
            principal = await principal_named(reader, answer, answer.kind or kinds[0], ctx.now_ms, self.roles)
        if principal is None:
            _log.info("sign_in.refused", plugin=plugin_id, reason="nobody here, in no such team, or ended")
            raise Unauthenticated("You are signed in elsewhere, and nobody here; ask for an account.")
        return principal


def _request(ctx: Context) -> SignInRequest:
    headers: dict[str, str] = {}
    for raw_name, raw_value in ctx.scope["headers"]:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        # Both of two: the last alone might be the caller's, behind that of the proxy.
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return SignInRequest(
        method=ctx.method,
        path=ctx.path,
        address=ctx.address,
        peer=ctx.scope.get(PEER, ctx.address),
        headers=MappingProxyType(headers),
    )


def _refuse_other_sites(ctx: Context) -> None:
    """Refuses writes from other sites: a browser adds what it is signed in with by itself."""
    if ctx.method in READING:
        return
    site, origin = ctx.headers.get("sec-fetch-site"), ctx.headers.get("origin")
    if site is not None:
        own = site in _OWN_SITE
    else:
        hosts = {ctx.headers.get("host", ""), urlsplit(ctx.host.settings.base_url).netloc}
        own = origin is None or _host_of(origin) in hosts
    if not own:
        raise Forbidden("A page of another site sent this; open it here instead.", code="cross_site")


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


async def check_provision_token(ctx: Context, *, wanted: str | None, rates: CallerBudgets) -> None:
    """Raises unless the caller gave the provisioning token; too many wrong ones are refused unread."""
    given = bearer_token(ctx)
    if wanted is None:
        raise NotFound("There is no such path outside hosted mode.")
    refusal = Unauthenticated("The provisioning token is missing or wrong.")
    if given is None:
        rates.count_unproven(ctx.address_key)
        raise refusal
    digest = rates.check(ctx.address_key, given)
    async with ctx.read() as reader:
        await _refuse_too_many_failures(reader, ctx.address_key, ctx.now_ms)
    if not hmac.compare_digest(given.encode(), wanted.encode()):
        rates.count_unproven(ctx.address_key, digest)
        await _record_failure(ctx)
        raise refusal
    await _clear_failures(ctx)
    rates.count(_PROVISION, digest)


async def _record_failure(ctx: Context) -> None:
    """Counts a wrong token; of many at once no more than the limit are told that they are wrong."""
    address, now = ctx.address_key, ctx.now_ms
    async with ctx.write(Actor("unknown", request_id=ctx.request_id)) as writer:
        await writer.serialize(f"provision-address:{address}")
        await _refuse_too_many_failures(writer, address, now)
        await writer.run(_sql.sweep_failures, floor=now - FAILURE_WINDOW_MS, max_rows=_SWEPT_PER_FAILURE)
        await writer.run(_sql.insert_failure, id=new_id("pf", now), address=address, now=now)
        writer.audit("provision.refused", detail={"address": address})


async def _clear_failures(ctx: Context) -> None:
    """Clears the count of an address after the right token, unless the limit was reached before."""
    address = ctx.address_key
    async with ctx.read() as reader:
        if await reader.one(_sql.any_failure, address=address) is None:
            return
    async with ctx.write() as writer:
        await writer.serialize(f"provision-address:{address}")
        await _refuse_too_many_failures(writer, address, ctx.now_ms)
        await writer.run(_sql.clear_failures, address=address)


async def _refuse_too_many_failures(reader: Reader, address: str, now_ms: int) -> None:
    filled_at = await reader.value(
        _sql.nth_failure, address=address, floor=now_ms - FAILURE_WINDOW_MS, nth=FAILURES_PER_ADDRESS - 1
    )
    if filled_at is not None:
        seconds = max(1, -(-(filled_at + FAILURE_WINDOW_MS - now_ms) // 1000))
        raise TooManyRequests(
            f"Too many wrong provisioning tokens; try again in {seconds} s.",
            headers={"Retry-After": str(seconds)},
        )
