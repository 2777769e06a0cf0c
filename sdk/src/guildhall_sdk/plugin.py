"""The manifest of a plugin."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from operator import attrgetter
from typing import Protocol

from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.hooks import declares

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedPlugin:
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


class PluginDataHooks(Protocol):
    """The hook of the plugin `admin` for what is stored for other plugins."""

    @declares(
        PluginData,
        label="plugin data",
        name=attrgetter("name"),
        functions={"count": ("reader", "removed"), "remove": ("writer", "removed")},
    )
    def declare_plugin_data(self) -> Sequence[PluginData]:
        """Declares what this plugin stores for others, to be shown and removed when one of them is purged."""
