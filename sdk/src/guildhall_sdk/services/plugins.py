"""Plugins as an operator's commands try them out, and remove what uninstalled ones left."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from guildhall_sdk.plugin import PluginStatus

Names = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginTrial:
    """The state that a plugin would have; the other fields are empty unless that is loaded."""

    status: PluginStatus
    #: The names of all that it declares, by what one of it is called.
    contents: Names = field(default_factory=dict)
    #: Its package, or its only module.
    code: Path = Path()
    #: Where each of its statements stands, and its texts.
    statements: Sequence[tuple[str, Sequence[str]]] = ()
    #: The folders of migrations by the plugins that own them; those of the server are `kernel`'s.
    migrations: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPlugin:
    """What an instance knows of a plugin since the last start of a server there."""

    #: The database of the instance, in words for an operator.
    place: str
    #: Its version and state at the last start; None where it was not there.
    last_run: tuple[str, str] | None
    contents: Names
    #: The files of migrations that a start would apply.
    pending: Sequence[str] = ()
    #: The reason why a server of that instance would leave it out.
    fault: str | None = None


class PluginRemains(Protocol):
    """What an uninstalled plugin left in the database, which nobody else has open meanwhile."""

    @property
    def description(self) -> str:
        """The remains, in words for an operator."""

    def check(self) -> None:
        """Raises `OperatorError` where not all of it is known."""

    async def remove(self) -> None:
        """Removes all of it for good, or nothing; raises `OperatorError`."""


class PluginUpkeep(Protocol):
    """Tries plugins out and removes what they left; a service of every command with `run`."""

    async def try_out(self, plugin: str) -> PluginTrial | None:
        """Starts a server with a plugin in a folder that is thrown away, and stops it.

        The plugin is an installed one, by its id, or a folder with a `plugin.json`; None where it is neither.
        """

    async def recorded(self, trial: PluginTrial, data: Path) -> RecordedPlugin:
        """Returns what the instance with this data folder knows of a plugin that would be let in."""

    def remains(self, plugin_id: str) -> AbstractAsyncContextManager[PluginRemains | None]:
        """Opens what an uninstalled plugin left, None where that is nothing.

        Raises `OperatorError` while it is installed, or a server may have it loaded.
        """
