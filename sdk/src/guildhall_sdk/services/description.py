"""What the server says about itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from guildhall_sdk.samples import Samples
from guildhall_sdk.search import SearchSource

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

    def samples(self) -> Sequence[Samples]:
        """The sample content that they declare."""
        ...

    def search_sources(self) -> Sequence[SearchSource]:
        """What they let people find."""
        ...


class ApiDescription(Protocol):
    """The whole route table as OpenAPI 3.1."""

    def openapi(self) -> Mapping[str, Any]: ...
