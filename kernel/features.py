"""Feature flags and whole plugins: what is declared, what each team turned on or off, what is held back."""

import json
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakMethod

from guildhall_sdk import Feature, NotFound, Plugin, Principal, Reader, UserError, Writer, load_queries
from guildhall_sdk.plugin import PluginData, RemovedPlugin

sql = load_queries(Path(__file__).with_name("features.sql"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Switchable:
    """The switches that there are. `gating` are the features that something names or a plugin asks for."""

    features: Mapping[str, Feature] = field(default_factory=dict)
    gating: frozenset[str] = frozenset()
    plugins: Mapping[str, Plugin] = field(default_factory=dict)


class Holds:
    """What is held back of plugins, for everybody, until an operator approves it."""

    def __init__(self) -> None:
        self._by_plugin: dict[str, Mapping[str, Sequence[str]]] = {}
        self._by_label: dict[str, frozenset[str]] = {}
        self._followers: list[WeakMethod[Callable[[], object]]] = []

    def follow(self, call: Callable[[], object]) -> None:
        """Calls a method after each change, as long as somebody else keeps its object."""
        self._followers.append(WeakMethod(call))

    def replace(self, plugin_id: str, contents: Mapping[str, Sequence[str]]) -> None:
        """Replaces what is held back of one plugin."""
        self._by_plugin[plugin_id] = contents
        labels = {label for one in self._by_plugin.values() for label in one}
        self._by_label = {
            label: frozenset(name for one in self._by_plugin.values() for name in one.get(label, ()))
            for label in labels
        }
        for follower in self._followers:
            if (call := follower()) is not None:
                call()

    def names(self, label: str) -> Set[str]:
        return self._by_label.get(label, frozenset())

    def of(self, plugin_id: str) -> Sequence[str]:
        found = self._by_plugin.get(plugin_id, {})
        return [f"{label} {name}" for label, names in sorted(found.items()) for name in sorted(names)]


class TeamSwitches(NamedTuple):
    """The SDK's `Switches`."""

    declared: Switchable
    chosen: Mapping[str, bool]

    def feature(self, name: str) -> bool:
        found = self.declared.features.get(name)
        return found is not None and self.chosen.get(f"feature:{name}", found.enabled_by_default)

    def plugin(self, plugin_id: str) -> bool:
        if self.chosen.get(f"plugin:{plugin_id}", True):
            return True
        # What became essential after a team had switched it off is on again.
        manifest = self.declared.plugins.get(plugin_id)
        return manifest is not None and manifest.essential

    def switched_off(self, plugin_id: str, feature: str | None = None) -> str | None:
        if not self.plugin(plugin_id):
            return plugin_id
        return feature if feature is not None and not self.feature(feature) else None


class TeamFeatures:
    """The SDK's `Features`. A feature that nobody declared is off for everyone."""

    def __init__(self, declared: Switchable) -> None:
        self._declared = declared

    def declare(self, declared: Switchable) -> None:
        """Replaces the features and plugins that can be switched."""
        self._declared = declared

    def read(self, stored: str | None) -> TeamSwitches:
        """Reads the switches from a team's column."""
        return TeamSwitches(self._declared, _chosen(stored))

    def of(self, principal: Principal) -> TeamSwitches:
        return self.read(principal.switches)

    async def of_team(self, reader: Reader, team_id: str) -> TeamSwitches:
        return self.read(await reader.value(sql.switches_of_team, team_id=team_id))

    async def listing(self, reader: Reader, team_id: str) -> list[dict[str, Any]]:
        switches = await self.of_team(reader, team_id)
        return [
            {"name": name, "description": feature.description, "enabled": switches.feature(name)}
            for name, feature in sorted(self._declared.features.items())
            if name in self._declared.gating
        ]

    async def set(self, writer: Writer, team_id: str, name: str, enabled: bool) -> None:
        if name not in self._declared.features:
            raise NotFound("There is no feature of this name.")
        await _switch(writer, team_id, f"feature:{name}", enabled)

    async def set_plugin(self, writer: Writer, team_id: str, plugin_id: str, enabled: bool) -> None:
        manifest = self._declared.plugins.get(plugin_id)
        if manifest is None:
            raise NotFound("There is no plugin of this id.")
        if manifest.essential:
            raise UserError(
                f"The server cannot be without {plugin_id}; it is on for every team.", code="essential_plugin"
            )
        await _switch(writer, team_id, f"plugin:{plugin_id}", enabled)


async def _switch(writer: Writer, team_id: str, name: str, enabled: bool) -> None:
    chosen: dict[str, bool] = dict(_chosen(await writer.value(sql.lock_switches, team_id=team_id)))
    chosen[name] = enabled
    await writer.run(sql.set_switches, team_id=team_id, switches=json.dumps(chosen, sort_keys=True))


async def _count_switches(reader: Reader, removed: RemovedPlugin) -> int:
    return int(await reader.value(sql.count_switched, names=json.dumps(_switches_of(removed))))


async def _remove_switches(writer: Writer, removed: RemovedPlugin) -> None:
    gone = _switches_of(removed)
    for row in await writer.all(sql.switched, names=json.dumps(gone)):
        left = {name: on for name, on in _chosen(row["switches"]).items() if name not in gone}
        text = json.dumps(left, sort_keys=True) if left else None
        await writer.run(sql.set_switches, team_id=row["id"], switches=text)


def _switches_of(removed: RemovedPlugin) -> list[str]:
    return [f"plugin:{removed.id}", *(f"feature:{name}" for name in removed.names(Feature))]


#: What teams switched of a plugin that is gone.
SWITCH_DATA = PluginData(
    name="switches of teams for it and its features", count=_count_switches, remove=_remove_switches
)


def switchable(plugins: Sequence[Plugin], features: Sequence[Feature], named: set[str]) -> Switchable:
    """Returns what a team can switch; `named` are the features that something hangs on."""
    gating = {feature.name for feature in features if feature.resource_decides or feature.name in named}
    return Switchable(
        features={feature.name: feature for feature in features},
        gating=frozenset(gating),
        plugins={plugin.id: plugin for plugin in plugins},
    )


@lru_cache(maxsize=4096)
def _chosen(text: str | None) -> Mapping[str, bool]:
    return {} if text is None else json.loads(text)
