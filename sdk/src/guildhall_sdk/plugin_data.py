"""Plugin data: what one plugin stores for others, and how it goes when one of them is gone for good."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Protocol

from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.hooks import declares


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
