"""A request that nobody sends: each gate that it would pass, and what it would say."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from builtin_plugins.explain.reasons import BY_ITSELF, HELD, OVER_COMPANY, OVER_INSTANCE, Gate, Reasons
from guildhall_sdk import Auth, Forbidden, NotFound, Permission, Principal, Reader, Route
from guildhall_sdk.context import ServiceHost
from guildhall_sdk.dimensions import Dimension, Quotas
from guildhall_sdk.plugin import Features, Plugins
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.services.tenancy import Directory, Team, User
from libs.routing import PathTree

Decision = Literal["allow", "deny", "skip"]
_READING = ("GET", "HEAD")
_KERNEL = "kernel"
_WITHOUT_PERSON = (Auth.PUBLIC, Auth.PROVISION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The decision of one gate: by which plugin's rule, why, and who can lift it."""

    gate: Gate
    plugin: str
    rule: str | None
    decision: Decision
    because: str
    lifted_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as it would come: a row, and whose it would be."""

    plugin: str
    row: Route
    user: User
    team: Team
    #: Who asks with their own credential; None where another person is asked about, who would sign in.
    caller: Principal | None = None
    #: A dimension that counts for the row, though another plugin declares it.
    limit: str | None = None


def row_for(plugins: Plugins, method: str, path: str) -> tuple[str, Route]:
    """Returns the row that a request would reach, with its plugin; raises `NotFound` where there is none."""
    wanted = "GET" if method.upper() == "HEAD" else method.upper()
    tree: PathTree[tuple[str, Route]] = PathTree()
    for plugin_id, row in plugins.route_table():
        if not (row.path.startswith("/*") and path.startswith("/api/")):  # no page at the root is of the API
            tree.add(row.path, (plugin_id, row), empty_rest=row.raw_wildcard)
    found = tree.find(path.partition("?")[0].encode())
    for plugin_id, row in found:
        if row.method == wanted:
            return plugin_id, row
    if found:
        methods = ", ".join(sorted({row.method for _, row in found}))
        raise NotFound(f"No plugin has a row for {wanted} {path}; there is one for {methods}.")
    raise NotFound(f"No plugin has a row for {path}; `GET /api/docs` lists what there is.")


class Gates:
    """Judges requests by the gates, in the order in which these are passed."""

    def __init__(self, host: ServiceHost, quotas: Quotas | None) -> None:
        self._host = host
        self._quotas = quotas
        self._plugins = host.service(Plugins)
        self._reasons = Reasons(self._plugins.declared(Permission))

    async def judge(self, reader: Reader, asked: Asked) -> list[Judgement]:
        """Returns what each gate would say, the later ones too where one refuses."""
        if asked.row.auth in _WITHOUT_PERSON:
            return [self._rate(asked), *self._open(asked)]
        acting = asked.caller
        if acting is None:
            try:
                acting = await self._host.service(Credentials).acting(
                    reader, user_id=asked.user.id, team_id=asked.team.id, scope=None
                )
            except Forbidden as refusal:
                return [self._rate(asked), self._suspended(refusal.detail, OVER_COMPANY, refusal.code)]
        if acting is None:
            raise NotFound(f"{asked.user.username} is not in the team {asked.team.slug}.")
        return [
            self._rate(asked),
            await self._suspension(reader, asked, acting),
            self._feature(asked, acting),
            self._permission(asked, acting),
            self._scope(asked, acting),
            *await self._limits(reader, asked),
        ]

    def _rate(self, asked: Asked) -> Judgement:
        row = asked.row
        own = f"; one address may call this row {row.limit} times a minute" if row.limit else ""
        because = f"Each credential has its number of requests a minute{own}. {BY_ITSELF}"
        return Judgement(
            gate="rate", plugin=_KERNEL, rule="SERVICE_RATE_LIMIT", decision="allow", because=because
        )

    def _open(self, asked: Asked) -> list[Judgement]:
        if asked.row.auth is Auth.PROVISION:
            because = "Only the host's provisioning token opens this row; no person's role does."
            lifted = "The host that provisions this instance."
            return [self._made("permission", asked.plugin, "deny", because, "provision", lifted)]
        return [self._made("permission", asked.plugin, "skip", "The row is public: nobody needs to sign in.")]

    async def _suspension(self, reader: Reader, asked: Asked, acting: Principal) -> Judgement:
        if asked.row.method in _READING or asked.row.while_suspended:
            return self._made("suspension", _KERNEL, "skip", "What is suspended can be read.")
        if await self._host.service(Directory).tenant_suspended_at(reader) is not None:
            return self._suspended(
                "The instance is suspended by its host.", OVER_INSTANCE, "tenant_suspended"
            )
        if acting.org_suspended:
            return self._suspended(
                f"The company {acting.org_slug} is suspended.", OVER_INSTANCE, "org_suspended"
            )
        return self._made("suspension", _KERNEL, "allow", "Neither the person nor the company is suspended.")

    def _suspended(self, because: str, lifted_by: str, rule: str) -> Judgement:
        lifted = f"Who has {lifted_by}: {self._reasons.holders(lifted_by)}."
        return self._made("suspension", _KERNEL, "deny", because, rule, lifted)

    def _feature(self, asked: Asked, acting: Principal) -> Judgement:
        named = asked.row.feature
        row = f"{asked.row.method} {asked.row.path} ("
        if any(one.startswith(row) for one in self._plugins.held("route")):
            because = f"A newer version of {asked.plugin} adds this row, and no operator has approved it."
            lifted = self._reasons.lifted_by("feature", HELD)
            return self._made("feature", asked.plugin, "deny", because, HELD, lifted)
        off = self._host.service(Features).of(acting).switched_off(asked.plugin, named)
        if off is not None:
            what = "feature" if off == named else "plugin"
            lifted = self._reasons.lifted_by("feature", off)
            because = f"The {what} {off} is off for the team {acting.team_name}."
            return self._made("feature", asked.plugin, "deny", because, off, lifted)
        what = f"The plugin {asked.plugin}" if named is None else f"The feature {named}"
        return self._made("feature", asked.plugin, "allow", f"{what} is on for the team.", named)

    def _permission(self, asked: Asked, acting: Principal) -> Judgement:
        row, name = asked.row, asked.row.permission
        if name is None:
            because = "Whoever is signed in may ask; what they ask for decides the rest."
            return self._made("permission", asked.plugin, "skip", because)
        if name in acting.permissions or self._reasons.is_out_of_scope(name, acting):
            return self._made(
                "permission", asked.plugin, "allow", f"{_roles_of(acting)}: that holds it.", name
            )
        lifted = self._reasons.lifted_by("permission", name)
        if row.resource_decides:
            because = f"{_roles_of(acting)}: that does not hold it. Who owns the thing, or was given it, may."
            return self._made("permission", asked.plugin, "allow", because, name, lifted)
        because = f"{_roles_of(acting)}: that does not hold it."
        return self._made("permission", asked.plugin, "deny", because, name, lifted)

    def _scope(self, asked: Asked, acting: Principal) -> Judgement:
        row, credential = asked.row, acting.credential
        if asked.caller is None:
            because = "Asked of the person, as if they had signed in: a token's scope can only take away."
            return self._made("scope", _KERNEL, "skip", because)
        lifted = self._reasons.lifted_by("scope", "")
        if row.session_only and not credential.is_session:
            because = "This wants a person who signed in, not a token or a key."
            return self._made("scope", _KERNEL, "deny", because, "session_required", lifted)
        if credential.scope is None:
            return self._made("scope", _KERNEL, "allow", "Your credential has no scope.")
        named = row.permission
        if row.unscoped or (named is None and row.method not in _READING and not row.resource_decides):
            because = "A credential with a scope cannot do this."
            return self._made("scope", _KERNEL, "deny", because, "scope", lifted)
        if named is not None and named not in credential.scope:
            because = f"The scope of your credential leaves {named} out."
            return self._made("scope", _KERNEL, "deny", because, named, lifted)
        return self._made("scope", _KERNEL, "allow", "The scope of your credential has room for it.", named)

    async def _limits(self, reader: Reader, asked: Asked) -> list[Judgement]:
        if asked.row.method in _READING:
            return [self._made("quota", asked.plugin, "skip", "Reading uses no quota.")]
        if self._quotas is None:
            because = "A running server counts: ask it by GET /api/explain."
            return [self._made("quota", asked.plugin, "skip", because)]
        own = {one.name for plugin, one in self._plugins.owned(Dimension) if plugin == asked.plugin}
        own |= {asked.limit} if asked.limit else set()
        used_up = [
            one
            for one in await self._quotas.usage(reader, asked.team.org_id, asked.team.id)
            if one.dimension in own and one.limit is not None and one.used >= one.limit
        ]
        if not used_up:
            because = "No limit of what this plugin counts is used up."
            return [self._made("quota", asked.plugin, "allow", because)]
        return [
            self._made(
                "quota",
                asked.plugin,
                "deny",
                f"{one.used:,} of {one.limit:,} {one.dimension} are used"
                f"{'' if one.window == 'none' else f' this {one.window}'}, by the "
                f"{'company' if one.level == 'org' else 'team'}.",
                one.dimension,
                self._reasons.lifted_by("quota", one.dimension),
            )
            for one in used_up
        ]

    def _made(
        self,
        gate: Gate,
        plugin: str,
        decision: Decision,
        because: str,
        rule: str | None = None,
        lifted_by: str | None = None,
    ) -> Judgement:
        return Judgement(
            gate=gate, plugin=plugin, rule=rule, decision=decision, because=because, lifted_by=lifted_by
        )


def _roles_of(acting: Principal) -> str:
    roles = [f"{acting.role} of the team"]
    if acting.org_role is not None:
        roles.append(f"{acting.org_role} of the company")
    if acting.operator:
        roles.append("operator")
    return f"{acting.username} is {' and '.join(roles)}"


def public(judgements: Sequence[Judgement]) -> dict[str, Any]:
    """Returns what the gates say as the API shows it."""
    allowed = all(one.decision != "deny" for one in judgements)
    return {"allowed": allowed, "gates": [asdict(one) for one in judgements]}
