"""What the server says about itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

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


class Plugins(Protocol):
    def statuses(self) -> Sequence[PluginStatus]: ...

    def declared(self, kind: type[Declared]) -> Sequence[Declared]:
        """Everybody's rows of one declared type, such as `Samples`, in the order of admission."""
        ...

    def owned(self, kind: type[Declared]) -> Sequence[tuple[str, Declared]]:
        """Everybody's rows of one declared type, each with the id of the plugin that declares it."""
        ...


class ApiDescription(Protocol):
    """The whole route table as OpenAPI 3.1."""

    def openapi(self) -> Mapping[str, Any]: ...
