"""The one registry of tools, and the only way to run one: judged within a scope, run outside of all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from guildhall_sdk import (
    Clock,
    FeatureDisabled,
    Host,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    Principal,
    Reader,
    Tool,
    ToolDisabled,
    Writer,
    load_queries,
)
from guildhall_sdk.schema import Schema
from guildhall_sdk.services import Features

sql = load_queries(Path(__file__).with_name("toggles.sql"))


class Checker(Protocol):
    def check(self, value: Any) -> None:
        """Raises `InvalidRequest` with every problem of the value by JSON pointer."""
        ...


@dataclass(frozen=True, slots=True)
class _Registered:
    """A tool, the plugin it comes from, and the check of its arguments, which prepares itself when used."""

    source: str
    tool: Tool
    arguments: Checker

    def shown(self, enabled: bool) -> dict[str, Any]:
        return {
            "name": self.tool.name,
            "description": self.tool.description,
            "schema": self.tool.function_schema(),
            "permission": self.tool.permission,
            "source": self.source,
            "enabled": enabled,
        }


@dataclass(frozen=True, slots=True)
class _Admitted:
    """The SDK's `AdmittedTool`."""

    host: Host
    tool: Tool
    principal: Principal
    arguments: Mapping[str, Any]

    async def run(self) -> Any:
        if self.tool.hosted is not None:
            return await self.tool.hosted(self.host, self.principal, self.arguments)
        assert self.tool.handler is not None
        async with self.host.data.read() as reader:
            return await self.tool.handler(reader, self.principal, self.arguments)


class TeamTools:
    """The SDK's `Tools`: pairs of a plugin's id and what it declares, and how a schema is checked."""

    def __init__(
        self,
        declared: Sequence[tuple[str, Tool]],
        clock: Clock,
        compile_schema: Callable[[Schema], Checker],
        host_of: Callable[[str], Host],
        features: Features,
    ) -> None:
        """`host_of` gives the host of the plugin that brings a tool, by its id."""
        self._clock = clock
        self._compile_schema = compile_schema
        self._host_of = host_of
        self._features = features
        self.declare(declared)

    def declare(self, declared: Sequence[tuple[str, Tool]]) -> None:
        """These and no others, from now on."""
        self._registered = {
            tool.name: _Registered(source, tool, self._compile_schema(tool.function_schema()["parameters"]))
            for source, tool in declared
        }

    async def listing(self, reader: Reader, team_id: str) -> list[dict[str, Any]]:
        rows = await reader.all(sql.toggles_of_team, team_id=team_id, kind="tool")
        chosen = {row["name"]: bool(row["enabled"]) for row in rows}
        switches = await self._features.of_team(reader, team_id)
        return [
            one.shown(chosen.get(name, one.tool.enabled_by_default))
            for name, one in sorted(self._registered.items())
            if switches.switched_off(one.source, one.tool.feature) is None
        ]

    async def set(self, writer: Writer, team_id: str, name: str, enabled: bool) -> None:
        if name not in self._registered:
            raise NotFound("There is no tool of this name.")
        await self._check_open(writer, team_id, self._registered[name])
        now = self._clock.now_ms()
        await writer.run(
            sql.set_toggle, team_id=team_id, kind="tool", name=name, enabled=int(enabled), now=now
        )

    async def admit(
        self, reader: Reader, principal: Principal, name: str, arguments: Mapping[str, Any]
    ) -> _Admitted:
        one = self._registered.get(name)
        if one is None:
            raise InvalidRequest("There is no tool of this name.", code="unknown_tool")
        await self._check_open(reader, principal.team_id, one)
        chosen = await reader.value(sql.toggle, team_id=principal.team_id, kind="tool", name=name)
        if not (one.tool.enabled_by_default if chosen is None else chosen):
            raise ToolDisabled(name)
        if not principal.may(one.tool.permission):
            raise PermissionDenied(one.tool.permission)
        one.arguments.check(arguments)
        return _Admitted(self._host_of(one.source), one.tool, principal, arguments)

    async def _check_open(self, reader: Reader, team_id: str, one: _Registered) -> None:
        switches = await self._features.of_team(reader, team_id)
        if (off := switches.switched_off(one.source, one.tool.feature)) is not None:
            raise FeatureDisabled(off)
