"""Every hook of the server itself, and how a plugin brings hooks for others.

The name of a hook begins with how it is called. `declare_*` plain functions without arguments that return
frozen data; called once, at boot. `on_*` async; told in order, each with a timeout; a failure is logged and
names the plugin. `decide_*` async; the first answer that is not None wins; a failure denies.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import pluggy

if TYPE_CHECKING:
    from guildhall_sdk.adapters import Adapter
    from guildhall_sdk.blueprints import BlueprintRoutes
    from guildhall_sdk.commands import Command
    from guildhall_sdk.context import Host
    from guildhall_sdk.data import Migrations
    from guildhall_sdk.engines.engine import DatabaseEngine
    from guildhall_sdk.factories import Factory
    from guildhall_sdk.jobs import JobKind
    from guildhall_sdk.pages import Pages
    from guildhall_sdk.permissions import Permission
    from guildhall_sdk.plugin import Feature
    from guildhall_sdk.principal import SignIn, SignInRequest
    from guildhall_sdk.routes import Route
    from guildhall_sdk.settings import Setting
    from guildhall_sdk.subscriptions import Event, Subscription

PROJECT = "guildhall"
hookimpl = pluggy.HookimplMarker(PROJECT)
hookspec = pluggy.HookspecMarker(PROJECT)

Declared = TypeVar("Declared")
Hook = TypeVar("Hook", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Declarer:
    """The plugin that declares a row: its id, its rows of the route table at full paths, and all its rows."""

    id: str
    routes: "Sequence[Route]"
    rows: Mapping[type[Any], Sequence[Any]]

    def declared(self, kind: type[Declared]) -> Sequence[Declared]:
        """Returns all that the plugin declares of one type, in its order."""
        return self.rows.get(kind, ())


#: Returns the rows, and the factories of samples for them, that an object stands for in the plugin of an id;
#: raises a `Problem` that says what is wrong with it.
RowMaker = Callable[[Any, str], "Iterable[Route | Factory]"]
#: Returns what is wrong with a row and where, or None; a wrong row keeps its plugin out.
Check = Callable[[Any, Declarer], "str | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookResult:
    """The rows that implementations of a hook return; see `declares`."""

    type: type[Any]
    label: str
    name: Callable[[Any], str] | None = None
    named_as_plugin: bool = False
    functions: Mapping[str, Sequence[str]] = field(default_factory=dict)


def declares(
    kind: type[Any],
    *,
    label: str,
    name: Callable[[Any], str] | None = None,
    named_as_plugin: bool = False,
    functions: Mapping[str, Sequence[str]] | None = None,
) -> Callable[[Hook], Hook]:
    """Makes a method of a class a hook whose implementations return rows of a frozen dataclass.

    `label` is what a row is called in a refusal. `name(row)` is what no two rows may share; with
    `named_as_plugin` it is the id of the plugin that declares it. `functions` names the fields that hold a
    function, each with the arguments that it is called with. Where the type has a field `feature`, a row is
    there for the teams that have that feature on; what its `permission` fields name must be declared.
    """

    def mark(hook: Hook) -> Hook:
        hook.result = HookResult(  # type: ignore[attr-defined]
            type=kind,
            label=label,
            name=name,
            named_as_plugin=named_as_plugin,
            functions=functions or {},
        )
        return hookspec(hook)

    return mark


def checked(hooks: type[Any], **checks: Check) -> type[Any]:
    """Returns a class of hooks, for `declare_hooks`, with how their rows are checked, by the names of hooks.

    Implementers import the class, which stands by itself; the check is its owner's own.
    """
    for name in checks:
        getattr(hooks, name)
    return type(hooks.__name__, (hooks,), {"checks": checks, "__module__": hooks.__module__})


class Declarations:
    """The hooks that declare what a plugin brings. A fault in any of them keeps the whole plugin out."""

    @hookspec
    def declare_routes(self) -> "Sequence[Route | BlueprintRoutes | Pages]":  # type: ignore[empty-body]
        """Declares rows of the route table, in the order they are matched, Quart blueprints and pages.

        Pages are folders of files behind the gates of a row; they are matched after every row.
        """

    @hookspec
    def declare_handlers(self) -> "Mapping[str, Any]":  # type: ignore[empty-body]
        """Declares the functions that rows name instead of holding them; each has a row."""

    @hookspec
    def declare_settings(self) -> "Sequence[Setting[Any]]":  # type: ignore[empty-body]
        """Declares the settings `SERVICE_<PLUGIN>_<NAME>` of this plugin; they are read before migration."""

    @hookspec
    def declare_commands(self) -> "Sequence[Command]":  # type: ignore[empty-body]
        """Declares commands `guildhall <command>` for the operator; each runs in a process of its own."""

    @hookspec
    def declare_features(self) -> "Sequence[Feature]":  # type: ignore[empty-body]
        """Declares features that a team can turn off, and that rows may name."""

    @hookspec
    def declare_permissions(self) -> "Sequence[Permission]":  # type: ignore[empty-body]
        """Declares permissions for rows, tools and scopes, with the roles that hold them by default."""

    @hookspec
    def declare_job_kinds(self) -> "Sequence[JobKind]":  # type: ignore[empty-body]
        """Declares kinds of jobs, run in the server or by pull workers."""

    @hookspec
    def declare_events(self) -> "Sequence[Event]":  # type: ignore[empty-body]
        """Declares events of this plugin that others may subscribe to."""

    @hookspec
    def declare_subscriptions(self) -> "Sequence[Subscription]":  # type: ignore[empty-body]
        """Declares subscriptions of this plugin to events, its own or another's."""

    @hookspec
    def declare_services(self) -> "Mapping[type[Any], Callable[[Host], Any]]":  # type: ignore[empty-body]
        """Declares protocols of `guildhall_sdk.services` that this plugin implements, each with a factory.

        A factory may be async; then the boot waits for it, ten seconds at most.
        """

    @hookspec
    def declare_engines(self) -> "Sequence[DatabaseEngine]":  # type: ignore[empty-body]
        """Declares database engines, of which the scheme of `SERVICE_DATABASE_URL` chooses one."""

    @hookspec
    def declare_adapters(self) -> "Sequence[Adapter]":  # type: ignore[empty-body]
        """Declares protocols of this plugin's own beside the API; they go through the pipeline of rows."""

    @hookspec
    def declare_hooks(self) -> "Sequence[type[Any]]":  # type: ignore[empty-body]
        """Declares classes of hooks for other plugins to implement, each made by `declares`; read first.

        A class with `row_makers` says for types of its own, which others return from `declare_routes` among
        their rows, what each stands for: a `RowMaker` by type.
        """

    @hookspec
    def declare_migrations(self) -> "Migrations":  # type: ignore[empty-body]
        """Declares the folder of schema changes; each is applied once, in order, before serving."""

    @hookspec
    def declare_factories(self) -> "Sequence[Factory]":  # type: ignore[empty-body]
        """Declares for each id in this plugin's paths how the conformance tests make one."""


class Lifecycle:
    """The hooks that run when the server starts and stops."""

    @hookspec
    async def on_start(self, host: "Host") -> None:
        """Runs after migration, before the first request. A failure puts the plugin in quarantine."""

    @hookspec
    async def on_stop(self, host: "Host") -> None:
        """Runs after the last request, job and background work, while database and services are there."""


class Decisions:
    """The hooks that decide whether something is allowed."""

    @hookspec
    async def decide_password(self, username: str, password: str) -> str | None:
        """Returns why this password may not be used, or None to leave it to the other plugins."""

    @hookspec
    async def decide_principal(self, request: "SignInRequest") -> "SignIn | None":
        """Returns who sends a request without a Guildhall token, or None to leave it to the other plugins."""


SPECIFICATIONS = (Declarations, Lifecycle, Decisions)
