"""Every hook of the server itself, and how a plugin brings hooks for others.

The name of a hook begins with how it is called. `declare_*` plain functions without arguments that return
frozen data; called once, at boot. `on_*` async; told in order, each with a timeout; a failure is logged and
names the plugin. `decide_*` async; the first answer that is not None wins; a failure denies.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import pluggy

if TYPE_CHECKING:
    import guildhall_sdk as sdk
    from guildhall_sdk.data import Statement
    from guildhall_sdk.engines.engine import DatabaseEngine
    from guildhall_sdk.principal import SignIn, SignInRequest
    from guildhall_sdk.routes import Adapter, BlueprintRoutes, Pages, Route
    from guildhall_sdk.schema import Schema

PROJECT = "guildhall"
hookimpl = pluggy.HookimplMarker(PROJECT)
_mark = pluggy.HookspecMarker(PROJECT)

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
RowMaker = Callable[[Any, str], "Iterable[Route | sdk.Factory]"]
#: Returns what is wrong with a row and where, or None; a wrong row keeps its plugin out.
Check = Callable[[Any, Declarer], "str | None"]


@dataclass(frozen=True, slots=True)
class HookResult:
    """Makes a method of a class a hook whose implementations return rows of a frozen dataclass.

    `label` is what a row is called in a refusal. `name` is what no two rows may share: the name of a field,
    or a function of the row; with `named_as_plugin` it is the id of the plugin that declares it. `functions`
    names the fields that hold a function, each with the arguments that it is called with. Where the type has
    a field `feature`, a row is there for the teams that have that feature on; what its `permission` fields
    name must be declared.
    """

    type: type[Any]
    _: KW_ONLY
    label: str
    name: str | Callable[[Any], str] | None = None
    named_as_plugin: bool = False
    functions: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def name_of(self, row: Any) -> str | None:
        """Returns what no other row may be called, or None where rows may share their names."""
        if self.name is None:
            return None
        return str(getattr(row, self.name) if isinstance(self.name, str) else self.name(row))

    def __call__(self, hook: Hook) -> Hook:
        hook.result = self  # type: ignore[attr-defined]
        return _mark(hook)


def hookspec(hook: Hook) -> Hook:
    """Makes a method of a class a hook whose implementations return rows of its return annotation.

    `-> Sequence[Recipe]` says which: a frozen dataclass. `declares` says more of a hook, and `checked` what
    is wrong with a row.
    """
    return _mark(hook)


#: `@declares(Recipe, label="recipe")` above a hook says what its implementations return.
declares = HookResult


def checked(hooks: type[Any], **checks: Check) -> type[Any]:
    """Returns a class of hooks, for `declare_hooks`, with how their rows are checked, by the names of hooks.

    Implementers import the class, which stands by itself; the check is its owner's own.
    """
    return _with(hooks, "checks", checks)


def _with(hooks: type[Any], what: str, functions: Mapping[str, Callable[..., Any]]) -> type[Any]:
    for name in functions:
        getattr(hooks, name)
    return type(hooks.__name__, (hooks,), {what: functions, "__module__": hooks.__module__})


@dataclass(frozen=True, slots=True, kw_only=True)
class Proven:
    """What of a row is proven before the first request: a fault in it keeps the plugin of the row out.

    `schemas` are JSON Schemas by what they are called, `fitting` values with the schema that each must fit.
    `statements` are those that run in another form than they are written in, each with that form; all other
    statements of a plugin are found without it.
    """

    schemas: "Mapping[str, Schema]" = field(default_factory=dict)
    fitting: "Mapping[str, tuple[Any, Schema]]" = field(default_factory=dict)
    statements: "Mapping[Statement, Statement]" = field(default_factory=dict)


def proven(hooks: type[Any], **proofs: Callable[[Any], Proven]) -> type[Any]:
    """Returns a class of hooks, for `declare_hooks`, with what of each row is proven, by the names of hooks.

    A row is proven once for every database and version of its plugin, not at each start.
    """
    return _with(hooks, "proofs", proofs)


def _of_hooks(hooks: type[Any]) -> type[Any]:
    """Makes every function of a class a hook."""
    for hook in vars(hooks).values():
        if inspect.isfunction(hook):
            _mark(hook)
    return hooks


@_of_hooks
class Declarations:
    """The hooks that declare what a plugin brings. A fault in any of them keeps the whole plugin out."""

    def declare_routes(self) -> "Sequence[Route | BlueprintRoutes | Pages]":  # type: ignore[empty-body]
        """Declares rows of the route table, in the order they are matched, Quart blueprints and pages.

        Pages are folders of files behind the gates of a row; they are matched after every row.
        """

    def declare_handlers(self) -> "Mapping[str, Any]":  # type: ignore[empty-body]
        """Declares the functions that rows name instead of holding them; each has a row."""

    def declare_settings(self) -> "Sequence[sdk.Setting[Any]]":  # type: ignore[empty-body]
        """Declares the settings `SERVICE_<PLUGIN>_<NAME>` of this plugin; they are read before migration."""

    def declare_commands(self) -> "Sequence[sdk.Command]":  # type: ignore[empty-body]
        """Declares commands `guildhall <command>` for the operator; each runs in a process of its own."""

    def declare_features(self) -> "Sequence[sdk.Feature]":  # type: ignore[empty-body]
        """Declares features that a team can turn off, and that rows may name."""

    def declare_permissions(self) -> "Sequence[sdk.Permission]":  # type: ignore[empty-body]
        """Declares permissions for rows, tools and scopes, with the roles that hold them by default."""

    def declare_job_kinds(self) -> "Sequence[sdk.JobKind]":  # type: ignore[empty-body]
        """Declares kinds of jobs, run in the server or by pull workers."""

    def declare_events(self) -> "Sequence[sdk.Event]":  # type: ignore[empty-body]
        """Declares events of this plugin that others may subscribe to."""

    def declare_subscriptions(self) -> "Sequence[sdk.Subscription]":  # type: ignore[empty-body]
        """Declares subscriptions of this plugin to events, its own or another's."""

    def declare_services(self) -> "Mapping[type[Any], Callable[[sdk.Host], Any]]":  # type: ignore[empty-body]
        """Declares protocols of `guildhall_sdk.services` that this plugin implements, each with a factory.

        A factory may be async; then the boot waits for it, ten seconds at most.
        """

    def declare_engines(self) -> "Sequence[DatabaseEngine]":  # type: ignore[empty-body]
        """Declares database engines, of which the scheme of `SERVICE_DATABASE_URL` chooses one."""

    def declare_adapters(self) -> "Sequence[Adapter]":  # type: ignore[empty-body]
        """Declares protocols of this plugin's own beside the API; they go through the pipeline of rows."""

    def declare_hooks(self) -> "Sequence[type[Any]]":  # type: ignore[empty-body]
        """Declares classes of hooks for other plugins to implement, each made by `declares`; read first.

        A class with `row_makers` says for types of its own, which others return from `declare_routes` among
        their rows, what each stands for: a `RowMaker` by type.
        """

    def declare_migrations(self) -> "sdk.Migrations":  # type: ignore[empty-body]
        """Declares the folder of schema changes; each is applied once, in order, before serving."""

    def declare_factories(self) -> "Sequence[sdk.Factory]":  # type: ignore[empty-body]
        """Declares for each id in this plugin's paths how the conformance tests make one."""


@_of_hooks
class Lifecycle:
    """The hooks that run when the server starts and stops."""

    async def on_start(self, host: "sdk.Host") -> None:
        """Runs after migration, before the first request. A failure puts the plugin in quarantine."""

    async def on_stop(self, host: "sdk.Host") -> None:
        """Runs after the last request, job and background work, while database and services are there."""


@_of_hooks
class Decisions:
    """The hooks that decide whether something is allowed."""

    async def decide_password(self, username: str, password: str) -> str | None:
        """Returns why this password may not be used, or None to leave it to the other plugins."""

    async def decide_principal(self, request: "SignInRequest", host: "sdk.Host") -> "SignIn | None":
        """Returns who sends a request without a Guildhall token, or None to leave it to the other plugins."""


SPECIFICATIONS = (Declarations, Lifecycle, Decisions)
