"""Switches of a team: features, plugins and tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.errors import Problem
from guildhall_sdk.principal import Principal


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

    async def enabled(self, reader: Reader, team_id: str, name: str) -> bool:
        """Tells whether the feature is on for the team."""

    async def set_plugin(self, writer: Writer, team_id: str, plugin_id: str, enabled: bool) -> None:
        """Turns a plugin on or off.

        Raises `NotFound` for a plugin that is not loaded, and `UserError` for an essential one.
        """

    async def set(self, writer: Writer, team_id: str, name: str, enabled: bool) -> None:
        """Turns a feature on or off; raises `NotFound` for one that nobody declared."""


class AdmittedTool(Protocol):
    """A tool that may run as its caller with these arguments."""

    async def run(self) -> Any:
        """Runs the tool outside every scope of the database: a tool may wait for long, and opens its own."""


class OpenTool(Protocol):
    """A tool that its caller may call, with whichever arguments are valid."""

    async def admit(self, arguments: Mapping[str, Any]) -> AdmittedTool:
        """Checks the arguments of one call; raises `InvalidRequest`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedTool:
    """A tool that its source offers and that was not taken, with the reason."""

    name: str
    reason: str


class Tools(Protocol):
    """The tools that teams turn on and off, and calls of them."""

    async def listing(self, reader: Reader, team_id: str) -> Sequence[dict[str, Any]]:
        """Returns every tool of the team, as the API shows it."""

    async def set(self, writer: Writer, team_id: str, name: str, enabled: bool) -> None:
        """Turns a tool on or off; raises `NotFound` for one that nobody declared."""

    async def admit(
        self, reader: Reader, principal: Principal, name: str, arguments: Mapping[str, Any]
    ) -> AdmittedTool:
        """Checks a call: the tool is known, on for the team and permitted, and the arguments are valid.

        One that comes and goes may be gone when it is run: then `run` raises what `missing` returns.
        """

    def missing(self, name: str) -> Problem:
        """Returns why there is no tool of this name now: what its source says, or that nobody knows it.

        `ToolNotReady` where its source is still starting, `ToolNeedsApproval`, `BadGateway`
        `tool_unavailable` where its source is down, else `InvalidRequest` `unknown_tool`.
        """

    async def open_to(self, reader: Reader, principal: Principal, name: str) -> OpenTool:
        """Checks what `admit` does but the arguments, once for several calls that begin together."""

    async def refresh(self, source: str) -> Sequence[RefusedTool]:
        """Reads a `ToolSource` anew in all processes; returns what was not taken. Not inside a scope.

        Raises `KeyError` for a source that nobody declares.
        """
