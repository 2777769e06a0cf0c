"""What the server says about itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

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


class Plugins(Protocol):
    def statuses(self) -> Sequence[PluginStatus]: ...

    def declared(self, kind: type[Declared]) -> Sequence[Declared]:
        """Everybody's rows of one declared type, such as `Samples`, in the order of admission."""
        ...

    def owned(self, kind: type[Declared]) -> Sequence[tuple[str, Declared]]:
        """The rows of `declared`, each with the id of the plugin that it comes from."""
        ...

    def contributed(
        self, kind: type[Declared], switches: Switches | None = None
    ) -> Sequence[tuple[str, Declared]]:
        """Everybody's contributions of one type, each with the id of its plugin, in the order of admission.

        With `switches` those that the team has off are left out: `ctx.service(Features).of(ctx.principal)`.
        """
        ...

    def folder(self, plugin_id: str) -> Path | None:
        """Where a loaded plugin's own files are: its folder, or the package of its distribution.

        None for one that is not loaded, and for one that is a single module among others.
        """
        ...


class ApiDescription(Protocol):
    """The whole route table as OpenAPI 3.1."""

    def openapi(self) -> Mapping[str, Any]: ...
