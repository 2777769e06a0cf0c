"""Ways in beside a token of ours: plugins say who it is, and the provisioning token opens its own plane."""

import hmac
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from guildhall_sdk import Forbidden, Host, NotFound, Principal
from guildhall_sdk.errors import Unauthenticated
from guildhall_sdk.principal import CredentialKind, SignInRequest
from guildhall_sdk.services.identity import ProvisionGuesses
from kernel.http.context import READING, Context
from kernel.http.pipeline import PEER
from kernel.identity.sign_in import OUT_OF_ORDER, principal_answered
from kernel.plugins.hooks import DENIED, HookRunner
from kernel.rbac import DeclaredRoles
from kernel.registry import Registry
from libs.asgi import is_from_other_site, joined_headers
from libs.rate_limits import CallerBudgets

_PROVISION = "provision"

#: Asks the plugins; gives the id of the one that knows the caller, and its answer.
Ask = Callable[[SignInRequest], Awaitable[tuple[str, Any] | None]]


@dataclass(frozen=True, slots=True, eq=False)
class OtherSignIns:
    """The `decide_principal` hooks; `kinds` are the kinds of credentials that each plugin declares."""

    ask: Ask
    kinds: Mapping[str, Sequence[str]]
    roles: DeclaredRoles

    @classmethod
    def of_plugins(
        cls, hooks: HookRunner, registry: Registry, roles: DeclaredRoles, host_of: Callable[[str], Host]
    ) -> "OtherSignIns | None":
        """Returns the sign-ins of plugins, or None where there are none: nobody then waits for any."""
        plugin_ids = hooks.implementers("decide_principal")
        if not plugin_ids:
            return None
        declared = registry.owned(CredentialKind)
        kinds = {one: [kind.name for owner, kind in declared if owner == one] for one in plugin_ids}
        ask = partial(hooks.decide, "decide_principal", refusal=(Unauthenticated,), host_of=host_of)
        return cls(lambda request: ask(request=request), kinds, roles)

    async def principal_of(self, ctx: Context, rates: CallerBudgets) -> Principal | None:
        """Returns whom a plugin knows the caller as, or None; raises `Unauthenticated` where one refuses."""
        digest = rates.check_address(ctx.address_key, ctx.headers.get("authorization", ""))
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
        if answer is DENIED:
            raise Unauthenticated(OUT_OF_ORDER)
        kinds = self.kinds[plugin_id]
        async with ctx.read() as reader:
            return await principal_answered(reader, plugin_id, answer, kinds, ctx.now_ms, self.roles)


def _request(ctx: Context) -> SignInRequest:
    return SignInRequest(
        method=ctx.method,
        path=ctx.path,
        address=ctx.address,
        peer=ctx.scope.get(PEER, ctx.address),
        headers=MappingProxyType(joined_headers(ctx.scope["headers"])),
    )


def _refuse_other_sites(ctx: Context) -> None:
    """Refuses writes from other sites: a browser adds what it is signed in with by itself."""
    base_host = urlsplit(ctx.host.settings.base_url).netloc
    if ctx.method not in READING and is_from_other_site(ctx.headers, base_host):
        raise Forbidden("A page of another site sent this; open it here instead.", code="cross_site")


async def check_provision_token(ctx: Context, *, wanted: str | None, rates: CallerBudgets) -> None:
    """Raises unless the caller gave the provisioning token; too many wrong ones are refused unread."""
    given = ctx.bearer_token()
    if wanted is None:
        raise NotFound("There is no such path outside hosted mode.")
    refusal = Unauthenticated("The provisioning token is missing or wrong.")
    if given is None:
        rates.count_unproven(ctx.address_key)
        raise refusal
    digest, counted = rates.check(ctx.address_key, given)
    guesses = ctx.service(ProvisionGuesses)
    await guesses.check(ctx)
    if not hmac.compare_digest(given.encode(), wanted.encode()):
        rates.count_unproven(ctx.address_key, digest)
        await guesses.record(ctx)
        raise refusal
    await guesses.clear(ctx)
    if not counted:
        rates.count(_PROVISION, digest)
