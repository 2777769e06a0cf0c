"""The manifest of a plugin, its features and who has them on, what it keeps, and what all declare."""

from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from contextlib import AbstractAsyncContextManager
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from guildhall_sdk.context import Host
from guildhall_sdk.data import Data, Reader, Statement, Writer
from guildhall_sdk.engines.engine import InstanceTables
from guildhall_sdk.hooks import Declared
from guildhall_sdk.principal import Principal
from guildhall_sdk.routes import Route
from guildhall_sdk.services.tenancy import Team

API_VERSION = 1


@dataclass(frozen=True, slots=True)
class Plugin:
    """The manifest of a plugin, which its module holds as `PLUGIN`.

    `requires` names plugins that must be there first. `essential` says that an instance must not start
    without this plugin: a fault then stops the boot, where else it puts the plugin in quarantine. Every other
    plugin can be switched off by a team for itself. `kept_folders` names folders below `SERVICE_DATA` whose
    files a backup takes; only what stands directly in one, and no name that begins with a dot. `demo` says
    that it is there to be looked at and learnt from: the console's navigation leaves its pages out.
    """

    id: str
    name: str
    version: str
    description: str
    _: KW_ONLY
    api: int = API_VERSION
    requires: Sequence[str] = ()
    essential: bool = False
    kept_folders: Sequence[str] = ()
    demo: bool = False


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature that a team can turn off, named by rows, tools, job kinds and the like in `feature`.

    One that nothing names gates nothing and is not shown. `resource_decides` says that its plugin asks
    `Features.enabled` for it in its own code, and no row has to name it.
    """

    name: str
    description: str
    _: KW_ONLY
    enabled_by_default: bool = True
    resource_decides: bool = False


class Switches(Protocol):
    """The switches of one team, as they were when they were read."""

    def feature(self, name: str) -> bool:
        """Tells whether the feature is on."""

    def plugin(self, plugin_id: str) -> bool:
        """Tells whether the plugin is on."""

    def switched_off(self, plugin_id: str, feature: str | None = None) -> str | None:
        """Returns the plugin or the feature if one of them is off, else None."""


class Features(Protocol):
    """The features and plugins that teams turn on and off."""

    def of(self, principal: Principal) -> Switches:
        """Returns the switches of the caller's team, which came with the caller: this reads nothing."""

    async def of_team(self, reader: Reader, team_id: str) -> Switches:
        """Returns the switches of a team."""

    async def listing(self, reader: Reader, team_id: str) -> Sequence[dict[str, Any]]:
        """Returns every feature that gates something, as the API shows it."""

    async def set_plugin(self, writer: Writer, team_id: str, plugin_id: str, enabled: bool) -> None:
        """Turns a plugin on or off.

        Raises `NotFound` for a plugin that is not loaded, and `UserError` for an essential one.
        """

    async def set(self, writer: Writer, team_id: str, name: str, enabled: bool) -> None:
        """Turns a feature on or off; raises `NotFound` for one that nobody declared."""


class RemovedPlugin(NamedTuple):
    """A plugin that is no longer installed; `declared` are the names that were its own, by type."""

    id: str
    declared: Mapping[str, Sequence[str]]

    def names(self, kind: type[object]) -> Sequence[str]:
        """Returns the names of what it declared of a type: `names(Dimension)`.

        They are those of every version that has run here, without the ones that another plugin has now.
        """
        return self.declared.get(kind.__name__, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginData:
    """Rows that a plugin stores for others; `guildhall plugin purge` shows and removes those of one.

    `name` is what they are called, in the plural: `quota counters`. `count` returns how many there are of a
    plugin, `remove` deletes them in the transaction in which all else of that plugin goes.
    """

    name: str
    count: Callable[[Reader, RemovedPlugin], Awaitable[int]]
    remove: Callable[[Writer, RemovedPlugin], Awaitable[None]]


class PluginStorage(Protocol):
    """What the server stores of each plugin, installed or not."""

    #: Rows of the server itself: jobs and events that wait for a plugin, and switches of teams.
    data: Sequence[PluginData]

    async def migrations(self, reader: Reader) -> Mapping[str, int]:
        """Returns the ids of all that have migrated, each with how many migrations were applied."""

    async def objects(self, reader: Reader, plugin_id: str) -> Sequence[tuple[str, str]]:
        """Returns the kinds and names of a plugin's tables, views and sequences."""

    async def drop(self, writer: Writer, plugin_id: str, objects: Sequence[tuple[str, str]]) -> None:
        """Drops these, and forgets that the plugin has ever migrated; call it before all else that locks."""


class PluginRecords(Protocol):
    """Records what a start found of each plugin, for commands that look in from outside."""

    async def record(self) -> None:
        """Records the plugins at each start, once every plugin has started or was taken out."""


PluginSource = Literal["builtin", "directory", "entry-point"]


@dataclass(frozen=True, slots=True)
class PluginStatus:
    """One plugin as `GET /api/plugins` shows it."""

    id: str
    name: str
    version: str
    description: str
    source: PluginSource
    status: Literal["loaded", "quarantined", "blocked"]
    reason: str | None = None
    tools: Sequence[str] = ()
    workflows: Sequence[str] = ()
    routes: Sequence[Mapping[str, Any]] = ()
    job_kinds: Sequence[Mapping[str, Any]] = ()
    #: What is held back of it until an operator approves it, such as `permission shelf:write`.
    held: Sequence[str] = ()
    essential: bool = False
    demo: bool = False


class Plugins(Protocol):
    """The plugins of this server, and what they declare."""

    def statuses(self) -> Sequence[PluginStatus]:
        """Returns every plugin, loaded or not, with its state."""

    def installed_versions(self) -> Mapping[str, str | None]:
        """Returns by id the version that a restart would load; None for one that is gone from the disk.

        It reads files: call it on a thread.
        """

    def declared(self, kind: type[Declared]) -> Sequence[Declared]:
        """Returns all plugins' rows of one declared type, such as `Samples`, in the order of admission."""

    def owned(self, kind: type[Declared], switches: Switches | None = None) -> Sequence[tuple[str, Declared]]:
        """Returns all plugins' rows of one declared type, each with the id of its plugin.

        With `switches` those that the team has off are left out: `call.service(Features).of(call.principal)`.
        """

    def rows(self, plugin_id: str) -> Sequence[Route]:
        """Returns a loaded plugin's rows of the route table, those below `/api/x/` too, at full paths."""

    def route_table(self) -> Sequence[tuple[str, Route]]:
        """Returns every row in the order in which they are matched, each with the id of its plugin."""

    def plugin_of(self, module: str) -> str | None:
        """Returns the id of the plugin that a module of this full name belongs to, or None."""

    def names(self, plugin_id: str) -> Mapping[str, Sequence[str]]:
        """Returns the names of what a loaded plugin declares that no two may share, by type."""

    def contents(self, plugin_id: str) -> Mapping[str, Sequence[str]]:
        """Returns all that a loaded plugin declares, in words, by what one of it is called."""

    def hold(self, plugin_id: str, contents: Mapping[str, Sequence[str]]) -> None:
        """Holds back what a loaded plugin declares, in the words of `contents`; all else of it is released.

        Held rows refuse, held permissions are nobody's, jobs of held kinds wait: in this process alone.
        """

    def held(self, label: str) -> Set[str]:
        """Returns what is held back of all plugins under one label of `contents`: `held("job kind")`."""

    def folder(self, plugin_id: str) -> Path | None:
        """Returns where a loaded plugin's own files are: its folder, or the package of its distribution.

        Returns None for one that is not loaded, and for one that is a single module among others.
        """


class TeamMove(NamedTuple):
    """What is in one team goes to another team of the same company."""

    source: Team
    target: Team


MoveContent = Callable[[Host, Writer, TeamMove], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TeamContent:
    """Rows that a plugin keeps for a team; for `declare_team_contents`.

    `held` finds a row, by the bind `:team_id`, while the team has something that people would miss: such a
    team is not deleted unless it goes elsewhere. Without it the rows follow what other plugins move. `move`
    runs in the transaction that deletes the team, and raises `Conflict` for what cannot go.
    """

    #: In words, for the refusal: `notes`.
    name: str
    held: Statement | None = None
    move: MoveContent


def moved_by(*statements: Statement) -> MoveContent:
    """Returns a move by statements, run in order, that bind `:org_id`, `:source` and `:target`."""

    async def move(host: Host, writer: Writer, how: TeamMove) -> None:
        binds = {"org_id": how.source.org_id, "source": how.source.id, "target": how.target.id}
        for statement in statements:
            await writer.run(statement, **binds)

    return move


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginTrial:
    """The state that a plugin would have; the other fields are empty unless that is loaded."""

    status: PluginStatus
    #: The names of all that it declares, by what one of it is called.
    contents: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: Its package, or its only module, as far as these are files.
    code: Path | None = None
    #: Where each of its statements stands, and its texts.
    statements: Sequence[tuple[str, Sequence[str]]] = ()
    #: The folders of migrations by the plugins that own them; those of the server are `kernel`'s.
    migrations: Mapping[str, Path] = field(default_factory=dict)


class PluginUpkeep(Protocol):
    """Tries plugins out and removes what they left; a service of every command with `run`."""

    async def try_out(self, plugin: str) -> PluginTrial | None:
        """Starts a server with a plugin in a folder that is thrown away, and stops it.

        The plugin is an installed one, by its id, or a folder with a `plugin.json`; None where it is neither.
        """

    def instance(self, data: Path) -> InstanceTables:
        """Returns the tables of the instance with this data folder."""

    def alone(self, plugin_id: str) -> AbstractAsyncContextManager[Data]:
        """Opens the database to remove what a plugin left; no server that owns it runs meanwhile.

        Raises `OperatorError` while the plugin is installed.
        """
