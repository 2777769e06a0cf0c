"""The one registry of tools, and the only way to run one: checked within a scope, run outside of all."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from builtin_plugins.tools.registered import Registered, changes_things, registered
from builtin_plugins.tools.sources import ToolSources, unknown_tool
from guildhall_sdk import (
    Clock,
    Host,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    Principal,
    Problem,
    Reader,
    Tool,
    Writer,
    load_queries,
)
from guildhall_sdk.errors import FeatureDisabled, ToolDisabled
from guildhall_sdk.plugin import Features, PluginData, RemovedPlugin, Switches
from guildhall_sdk.services.computing import Validators

sql = load_queries(Path(__file__).with_name("queries.sql"))


@dataclass(frozen=True, slots=True, eq=False)
class _Open:
    """Implements the SDK's `OpenTool`. Of a tool that may go, `sources` tells whether it is still there."""

    host: Host
    one: Registered
    principal: Principal
    sources: ToolSources | None = None

    async def admit(self, arguments: Mapping[str, Any]) -> "_Admitted":
        await self.one.check(self.principal.org_id, arguments)
        return _Admitted(self, arguments)

    def current(self) -> Tool:
        """Returns the tool as it is now; raises a `Problem` where it is not what was checked."""
        if self.sources is None:
            return self.one.tool
        checked, current = self.one, self.sources.get(self.one.tool.name)
        if current is None:
            raise self.sources.missing(checked.tool.name)
        if (current.shape, current.tool.permission) != (checked.shape, checked.tool.permission):
            raise InvalidRequest(
                f"The tool {checked.tool.name} has changed meanwhile; ask for it again.", code="unknown_tool"
            )
        return current.tool


@dataclass(frozen=True, slots=True, eq=False)
class _Admitted:
    """Implements the SDK's `AdmittedTool`."""

    open: _Open
    arguments: Mapping[str, Any]

    async def run(self) -> Any:
        tool, host, principal = self.open.current(), self.open.host, self.open.principal
        if tool.hosted is not None:
            return await tool.hosted(host, principal, self.arguments)
        assert tool.handler is not None
        async with host.data.read() as reader:
            return await tool.handler(reader, principal, self.arguments)

    async def preview(self) -> tuple[Literal["ran", "previewed", "not_run"], Any]:
        tool = self.open.current()
        if not changes_things(tool):
            return "ran", await self.run()
        if tool.preview is None:
            return "not_run", None
        return "previewed", await tool.preview(self.open.host, self.open.principal, self.arguments)


class TeamTools:
    """Implements the SDK's `Tools`."""

    def __init__(
        self,
        owned: Callable[[], Sequence[tuple[str, Tool]]],
        clock: Clock,
        host_of: Callable[[str], Host],
        features: Features,
        validators: Validators,
        *,
        sources: ToolSources | None = None,
    ) -> None:
        """Takes the tools with the ids of their plugins, and the host of a plugin by its id."""
        self._owned = owned
        self._clock = clock
        self._host_of = host_of
        self._features = features
        self._validators = validators
        self.sources = sources
        self._taken: Sequence[tuple[str, Tool]] = ()
        self._by_name: dict[str, Registered] = {}
        if sources is not None:
            sources.fixed_names = lambda: self._registered.keys()

    @property
    def _registered(self) -> Mapping[str, Registered]:
        """The declared tools by name; other ones where a plugin could not start and was taken out again."""
        owned = self._owned()
        if owned is not self._taken:
            self._by_name = {
                tool.name: registered(plugin_id, tool, self._validators, on=tool.enabled_by_default)
                for plugin_id, tool in owned
            }
            self._taken = owned
        return self._by_name

    async def listing(self, reader: Reader, team_id: str) -> list[dict[str, Any]]:
        rows = await reader.all(sql.toggles_of_team, team_id=team_id, kind="tool")
        chosen = {row["name"]: bool(row["enabled"]) for row in rows}
        found = {**dict(self.sources.items() if self.sources else ()), **self._registered}
        switches = await self._features.of_team(reader, team_id)
        return [
            one.public(chosen.get(name, one.on))
            for name, one in sorted(found.items())
            if switches.switched_off(one.source, one.tool.feature) is None
        ]

    async def set(self, writer: Writer, team_id: str, name: str, enabled: bool) -> None:
        one = self._find(name)
        if one is None:
            raise NotFound("There is no tool of this name.")
        _check_open(await self._features.of_team(writer, team_id), one)
        now = self._clock.now_ms()
        await writer.run(
            sql.set_toggle, team_id=team_id, kind="tool", name=name, enabled=int(enabled), now=now
        )

    async def admit(
        self, reader: Reader, principal: Principal, name: str, arguments: Mapping[str, Any]
    ) -> _Admitted:
        return await (await self.open_to(reader, principal, name)).admit(arguments)

    async def open_to(self, reader: Reader, principal: Principal, name: str) -> _Open:
        one = self._find(name)
        if one is None:
            raise self.missing(name)
        _check_open(self._features.of(principal), one)
        chosen = await reader.value(sql.toggle, team_id=principal.team_id, kind="tool", name=name)
        if not (one.on if chosen is None else chosen):
            raise ToolDisabled(name)
        if not principal.may(one.tool.permission):
            raise PermissionDenied(one.tool.permission)
        comes_and_goes = name not in self._registered
        return _Open(self._host_of(one.source), one, principal, self.sources if comes_and_goes else None)

    def missing(self, name: str) -> Problem:
        return unknown_tool() if self.sources is None else self.sources.missing(name)

    async def refresh(self, source: str) -> Mapping[str, str]:
        if self.sources is None:
            raise KeyError(source)
        return await self.sources.refresh(source)

    def _find(self, name: str) -> Registered | None:
        return self._registered.get(name) or (self.sources.get(name) if self.sources else None)


def _check_open(switches: Switches, one: Registered) -> None:
    """Raises `FeatureDisabled` for a tool whose plugin or feature is off."""
    if (off := switches.switched_off(one.source, one.tool.feature)) is not None:
        raise FeatureDisabled(off)


async def _count_toggles(reader: Reader, removed: RemovedPlugin) -> int:
    return int(await reader.value(sql.count_tool_toggles, names=json.dumps([*removed.names(Tool)])))


async def _remove_toggles(writer: Writer, removed: RemovedPlugin) -> None:
    await writer.run(sql.drop_tool_toggles, names=json.dumps([*removed.names(Tool)]))


#: What teams switched of the tools of a plugin that is gone.
TOGGLE_DATA = PluginData(name="switches of teams for its tools", count=_count_toggles, remove=_remove_toggles)
