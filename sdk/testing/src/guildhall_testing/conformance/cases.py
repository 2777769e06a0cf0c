"""Which cases there are: one per row and kind, where the kind applies."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass

from guildhall_sdk import Auth, Body, Factory
from guildhall_testing.conformance import access, inputs, isolation
from guildhall_testing.conformance.failure import ConformanceFailure
from guildhall_testing.conformance.samples import example_body, parameters_of
from guildhall_testing.conformance.trial import Trial
from guildhall_testing.hall import Hall
from kernel.registry import BoundRoute, Registry

Check = Callable[[Trial], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ConformanceCase:
    """One thing that one row must do."""

    bound: BoundRoute
    kind: str
    check: Check
    #: Whether statements of the row's plugin answer it, and not what stands before every row.
    on_every_database: bool = True

    @property
    def id(self) -> str:
        return f"{self.bound.name} {self.kind}"

    async def run(self, hall: Hall) -> None:
        if not hall.cache.setdefault("has hostnames", False):
            # Samples of other plugins may be made where the visitors of a company come in.
            await hall.give_hostnames()
            hall.cache["has hostnames"] = True
        try:
            await self.check(Trial(hall, self.bound))
        except ConformanceFailure as failure:
            raise ConformanceFailure(
                f"row {self.bound.name} of {self.bound.plugin_id}, {self.kind}: {failure}"
            ) from failure.__cause__


def kinds() -> list[str]:
    """Returns what rows are tested for, each where it applies."""
    return [kind for kind, _, _ in _KINDS]


def cases_for(registry: Registry, plugin_ids: Collection[str] | None = None) -> list[ConformanceCase]:
    """Returns the cases of these plugins' rows, or of every row; in the order of the table."""
    return [
        ConformanceCase(bound, kind, check, _asks_plugin(bound, kind) or _is_sampled(bound, registry))
        for bound in registry.routes()
        if plugin_ids is None or bound.plugin_id in plugin_ids
        for kind, check in _checks_of(bound, registry)
    ]


def _checks_of(bound: BoundRoute, registry: Registry) -> Sequence[tuple[str, Check]]:
    if unfit := _undeclared(bound, registry):
        return [("declared for testing", unfit)]
    return [(kind, check) for kind, applies, check in _KINDS if applies(bound, registry)]


def _asks_plugin(bound: BoundRoute, kind: str) -> bool:
    return kind in _ASKING_KINDS or (kind == "without the permission" and bound.row.resource_decides)


def _undeclared(bound: BoundRoute, registry: Registry) -> Check | None:
    """Returns the one case of a row that cannot be called, which fails and says what to declare."""
    missing = [
        parameter
        for parameter in parameters_of(bound.row.path, registry.declared(Factory))
        if parameter.factory is None
    ]
    if missing:
        at = missing[0].at
        return _failing(f"no factory makes an id for {at}; declare one: Factory({at!r}, make)")
    try:
        example_body(bound.row)
    except ConformanceFailure as failure:
        return _failing(str(failure))
    return None


def _failing(message: str) -> Check:
    async def check(trial: Trial) -> None:
        raise ConformanceFailure(message)

    return check


def _signed_in(bound: BoundRoute, _registry: Registry) -> bool:
    return bound.row.auth not in (Auth.PUBLIC, Auth.PROVISION)


def _writes(bound: BoundRoute) -> bool:
    return bound.row.method not in ("GET", "OPTIONS")


def _has_foreign_ids(bound: BoundRoute, registry: Registry) -> bool:
    parameters = parameters_of(bound.row.path, registry.declared(Factory))
    return _signed_in(bound, registry) and any(parameter.tenant for parameter in parameters)


def _takes_json(bound: BoundRoute, _registry: Registry) -> bool:
    return _writes(bound) and bound.row.body_kind is Body.JSON


def _is_first_of_path(bound: BoundRoute, registry: Registry) -> bool:
    return next(one for one in registry.routes() if one.row.path == bound.row.path) is bound


def _is_sampled(bound: BoundRoute, registry: Registry) -> bool:
    """Tells whether a row is the one of its plugin that shows what the dispatcher does for all."""
    first = next(one for one in registry.routes() if one.plugin_id == bound.plugin_id)
    return first is bound


_KINDS: Sequence[tuple[str, Callable[[BoundRoute, Registry], bool], Check]] = (
    ("without a credential", _signed_in, access.without_a_credential),
    (
        "without the provisioning token",
        lambda bound, _: bound.row.auth is Auth.PROVISION,
        access.without_the_provisioning_token,
    ),
    (
        "without the permission",
        lambda bound, registry: _signed_in(bound, registry) and bound.row.permission is not None,
        access.without_the_permission,
    ),
    ("with an API token", lambda bound, _: bound.row.session_only, access.with_an_api_token),
    (
        "with an empty scope",
        lambda bound, registry: _signed_in(bound, registry) and bound.row.permission is None,
        access.with_an_empty_scope,
    ),
    ("while suspended", _signed_in, access.while_suspended),
    ("with the feature off", lambda bound, _: bound.row.feature is not None, access.with_the_feature_off),
    ("another tenant's ids", _has_foreign_ids, isolation.foreign_ids),
    (
        "another tenant's data",
        lambda bound, _: (
            bound.row.method == "GET" and bound.row.auth not in (Auth.SUPERADMIN, Auth.PROVISION)
        ),
        isolation.foreign_data,
    ),
    ("bad body", _takes_json, inputs.bad_body),
    ("oversize body", _takes_json, inputs.oversize_body),
    ("bad query", lambda bound, _: bool(bound.row.query), inputs.bad_query),
    (
        "other methods",
        lambda bound, registry: _is_first_of_path(bound, registry) and _is_sampled(bound, registry),
        inputs.other_methods,
    ),
    ("request id", _is_sampled, inputs.request_id),
)
_ASKING_KINDS = {"another tenant's ids", "another tenant's data", "declared for testing"}
