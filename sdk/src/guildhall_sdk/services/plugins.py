"""Plugins as an operator's commands try them out, and remove what uninstalled ones left."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from guildhall_sdk.data import Data
from guildhall_sdk.engines.engine import InstanceTables
from guildhall_sdk.plugin import PluginStatus

Names = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginTrial:
    """The state that a plugin would have; the other fields are empty unless that is loaded."""

    status: PluginStatus
    #: The names of all that it declares, by what one of it is called.
    contents: Names = field(default_factory=dict)
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
