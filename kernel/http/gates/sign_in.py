"""Other ways to sign in: plugins say who it is, the kernel finds out what they may."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from guildhall_sdk import Forbidden, Principal, SignInRequest, Unauthenticated
from kernel.http.budgets import CallerBudgets
from kernel.http.context import READING, Context
from kernel.http.forwarding import PEER
from kernel.identity.sign_in import answer_fault, principal_named
from kernel.logs import get_logger
from kernel.plugins.caller import DENIED
from kernel.rbac import DeclaredRoles

_log = get_logger("identity")
_OUT_OF_ORDER = "This way to sign in is out of order; ask the operator to look into the log."
_OWN_SITE = frozenset({"same-origin", "none"})

#: Asks the plugins; gives the id of the one that knows the caller, and its answer.
Ask = Callable[[SignInRequest], Awaitable[tuple[str, Any] | None]]


@dataclass(frozen=True, slots=True)
class OtherSignIns:
    """The `decide_principal` hooks; `kinds` are the kinds of credentials that each plugin declares."""

    ask: Ask
    kinds: Mapping[str, Sequence[str]]
    roles: DeclaredRoles

    async def principal_of(
        self, ctx: Context, scope: Mapping[str, Any], rates: CallerBudgets
    ) -> Principal | None:
        """None where no plugin knows the caller. Raises `Unauthenticated` for whom one refuses."""
        authorization = ctx.headers.get("authorization", "")
        rates.check_address(ctx.address, authorization)
        try:
            principal = await self._identify(ctx, scope)
        except Unauthenticated:
            rates.count_unproven(ctx.address, authorization)
            raise
        if principal is not None:
            rates.count(principal.credential.id, authorization)
            _refuse_other_sites(ctx)
        return principal

    async def _identify(self, ctx: Context, scope: Mapping[str, Any]) -> Principal | None:
        found = await self.ask(_request(ctx, scope))
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


def _request(ctx: Context, scope: Mapping[str, Any]) -> SignInRequest:
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        # Both of two: the last alone might be the caller's, behind that of the proxy.
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return SignInRequest(
        method=ctx.method,
        path=ctx.path,
        address=ctx.address,
        peer=scope.get(PEER, ctx.address),
        headers=MappingProxyType(headers),
    )


def _refuse_other_sites(ctx: Context) -> None:
    """A browser adds what it is signed in with elsewhere by itself, whichever page makes it write."""
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
