"""Per-team switches: features, plugins and tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.principal import Principal


class Switches(Protocol):
    """What one team has on and off, as it was when it was read."""

    def feature(self, name: str) -> bool: ...

    def plugin(self, plugin_id: str) -> bool: ...

    def switched_off(self, plugin_id: str, feature: str | None = None) -> str | None:
        """The plugin or the feature that is off, and with it what hangs on it; None where both are on."""
        ...


class Features(Protocol):
    def of(self, principal: Principal) -> Switches:
        """Those of the caller's team, which came with the caller: this reads nothing."""
        ...

    async def of_team(self, reader: Reader, team_id: str) -> Switches: ...

    async def listing(self, reader: Reader, team_id: str) -> Sequence[dict[str, Any]]:
        """Every feature that gates something."""
        ...

    async def enabled(self, reader: Reader, team_id: str, name: str) -> bool: ...

    async def plugin_enabled(self, reader: Reader, team_id: str, plugin_id: str) -> bool: ...

    async def set_plugin(self, writer: Writer, team_id: str, plugin_id: str, enabled: bool) -> None:
        """Raises `NotFound` for a plugin that is not loaded, and `UserError` for an essential one."""
        ...

    async def set(self, writer: Writer, team_id: str, name: str, enabled: bool) -> None:
        """Raises `NotFound` for a feature that nobody declared."""
        ...


class AdmittedTool(Protocol):
    """A tool that may run as its caller with these arguments."""

    async def run(self) -> Any:
        """Call it outside every scope of the database: a tool may wait for long, and opens its own."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedTool:
    """A tool that its source offers and that is not taken, with why."""

    name: str
    reason: str


class Tools(Protocol):
    async def listing(self, reader: Reader, team_id: str) -> Sequence[dict[str, Any]]: ...

    async def set(self, writer: Writer, team_id: str, name: str, enabled: bool) -> None:
        """Raises `NotFound` for a tool that nobody declared."""
        ...

    async def admit(
        self, reader: Reader, principal: Principal, name: str, arguments: Mapping[str, Any]
    ) -> AdmittedTool:
        """Judges a call: the tool is known, on for the team and permitted, and the arguments are valid.

        One that comes and goes may be gone when it is run: then `run` raises `InvalidRequest` `unknown_tool`.
        """
        ...

    async def refresh(self, source: str) -> Sequence[RefusedTool]:
        """Asks a `ToolSource` anew, here and in all processes; gives what was not taken. Not inside a scope.

        Raises `KeyError` for a source that nobody declares.
        """
        ...
