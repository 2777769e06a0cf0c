"""The description of the server itself: its plugins and its API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from guildhall_sdk.routes import Route
from guildhall_sdk.services.toggles import Switches

Declared = TypeVar("Declared")

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
        ...

    def plugin_of(self, module: str) -> str | None:
        """Returns the id of the plugin that a module of this full name belongs to, or None."""
        ...

    def folder(self, plugin_id: str) -> Path | None:
        """Returns where a loaded plugin's own files are: its folder, or the package of its distribution.

        Returns None for one that is not loaded, and for one that is a single module among others.
        """


class ApiDescription(Protocol):
    """The whole route table as OpenAPI 3.1."""

    def openapi(self) -> Mapping[str, Any]:
        """Returns the OpenAPI document."""
