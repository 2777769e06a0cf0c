"""Letting plugins in: each whole or not at all, and never at the cost of another."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import pluggy

from guildhall_sdk import API_VERSION, ExtensionRoute, Migrations, Plugin, Route
from guildhall_sdk.services import PluginStatus
from kernel.declarations.table import DECLARATIONS, check_plugin
from kernel.faults import BootRefused, PluginFault
from kernel.plugins.colours import check_colours, new_manager
from kernel.plugins.discovery import Candidate, check_id
from kernel.plugins.order import in_order
from kernel.plugins.reasons import reason_of
from kernel.redaction import redact
from kernel.registry import BoundRoute, LoadedPlugin, Registry, mount

SLOW_IMPORT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class _Loaded:
    candidate: Candidate
    plugin: Plugin
    module: Any


class Admission:
    """Takes candidates through loading, ordering, checking and merging into one registry."""

    def __init__(self) -> None:
        self.manager: pluggy.PluginManager = new_manager()
        self.registry = Registry()
        self.unknown_blocked: Sequence[str] = ()
        self.slow_imports: dict[str, float] = {}

    def admit_all(self, candidates: Sequence[Candidate], blocked: frozenset[str] = frozenset()) -> None:
        loaded = self._load_all(candidates, blocked)
        order, circles = in_order({name: one.plugin for name, one in loaded.items()})
        for name, reason in circles.items():
            self._refuse(loaded[name].candidate, loaded[name].plugin, PluginFault(reason))
        for name in order:
            one = loaded[name]
            try:
                self._admit(one)
            except (Exception, SystemExit) as error:
                self._roll_back(one)
                self._refuse(one.candidate, one.plugin, error)

    def _load_all(self, candidates: Sequence[Candidate], blocked: frozenset[str]) -> dict[str, _Loaded]:
        loaded: dict[str, _Loaded] = {}
        self.unknown_blocked = sorted(blocked - {candidate.id for candidate in candidates})
        for candidate in candidates:
            if candidate.id in blocked:
                reason = "blocked by SERVICE_PLUGINS_BLOCKED"
                self.registry.refused.append(_status(candidate, None, "blocked", reason))
                continue
            plugin: Plugin | None = None
            try:
                # Before the import: one of the same name would take the place of the other's modules.
                _check_free(candidate, loaded)
                plugin, module = self._timed_load(candidate)
                _check_manifest(plugin)
                loaded[plugin.id] = _Loaded(candidate, plugin, module)
            except (Exception, SystemExit) as error:
                self._refuse(candidate, plugin, error)
        return loaded

    def _timed_load(self, candidate: Candidate) -> tuple[Plugin, Any]:
        """Everybody waits for an import: one that takes long is remembered."""
        started = time.perf_counter()
        try:
            return candidate.load()
        finally:
            seconds = time.perf_counter() - started
            if seconds > SLOW_IMPORT_SECONDS:
                self.slow_imports[candidate.id] = round(seconds, 1)

    def _admit(self, one: _Loaded) -> None:
        for need in one.plugin.requires:
            if need not in self.registry.plugin_ids():
                raise PluginFault(f"requires {need}, which is not loaded")
        check_colours(one.module)
        self.manager.register(one.module, name=one.plugin.id)
        plugin = self._collect(one)
        check_plugin(plugin, self.registry)
        self.registry.plugins.append(plugin)

    def withdraw(self, plugin_id: str, reason: str) -> None:
        """Takes an admitted plugin out again before serving, and with it those that require it."""
        reason = redact(reason)
        for plugin in list(self.registry.plugins):
            if plugin.id == plugin_id:
                if plugin.plugin.essential or plugin.source == "builtin":
                    _stop(plugin_id, reason)
                self.manager.unregister(name=plugin_id)
                self.registry.plugins.remove(plugin)
                self.registry.refused.append(plugin.refused(reason))
            elif plugin_id in plugin.plugin.requires:
                self.withdraw(plugin.id, f"requires {plugin_id}, which is not loaded")

    def _roll_back(self, one: _Loaded) -> None:
        if self.manager.has_plugin(one.plugin.id):
            self.manager.unregister(name=one.plugin.id)

    def _collect(self, one: _Loaded) -> LoadedPlugin:
        plugin_id = one.plugin.id

        def declared(hook: str, kind: type[Any]) -> tuple[Any, ...]:
            return _checked(hook, kind, self._declare(plugin_id, hook))

        handlers = self._declare(plugin_id, "declare_handlers") or {}
        rows: tuple[Route, ...] = declared("declare_routes", Route)
        migrations = self._declare(plugin_id, "declare_migrations")
        if migrations is not None and not (isinstance(migrations, Migrations) and migrations.folder.is_dir()):
            raise PluginFault("declare_migrations must give Migrations with a folder that is there")
        mounted: tuple[ExtensionRoute, ...] = declared("declare_extension_routes", ExtensionRoute)
        return LoadedPlugin(
            plugin=one.plugin,
            source=one.candidate.source,
            module=one.candidate.module,
            routes=tuple(_bind(plugin_id, row, handlers) for row in rows),
            unrouted=tuple(sorted(set(handlers) - {row.handler for row in rows})),
            extension_routes=tuple(mount(plugin_id, route) for route in mounted),
            rows={kind.type: declared(kind.hook, kind.type) for kind in DECLARATIONS},
            services=dict(self._declare(plugin_id, "declare_services") or {}),
            migrations=None if migrations is None else migrations.folder,
        )

    def _declare(self, plugin_id: str, hook: str) -> Any:
        for implementation in getattr(self.manager.hook, hook).get_hookimpls():
            if implementation.plugin_name == plugin_id:
                return implementation.function()
        return None

    def _refuse(self, candidate: Candidate, plugin: Plugin | None, error: BaseException) -> None:
        reason = redact(reason_of(error, candidate.module))
        plugin = plugin or candidate.manifest
        if (plugin is not None and plugin.essential) or candidate.essential or candidate.source == "builtin":
            _stop(candidate.id, reason)
        self.registry.refused.append(_status(candidate, plugin, "quarantined", reason))


def _check_free(candidate: Candidate, loaded: Mapping[str, _Loaded]) -> None:
    if (first := loaded.get(candidate.id)) is not None:
        places = f"{first.candidate.place}; this is {candidate.place}"
        raise PluginFault(f"the id {candidate.id} is taken by {places}: remove one")


def _stop(plugin_id: str, reason: str) -> NoReturn:
    raise BootRefused(f"the plugin {plugin_id} cannot be loaded and the server needs it: {reason}")


def _check_manifest(plugin: Plugin) -> None:
    check_id(plugin.id)
    if isinstance(plugin.requires, str) or not all(isinstance(need, str) for need in plugin.requires):
        raise PluginFault("requires must be a list of plugin ids")
    if plugin.api != API_VERSION:
        raise PluginFault(f"it is written for API {plugin.api}; this server speaks {API_VERSION}")


def _checked(hook: str, kind: type[Any], answer: Any) -> tuple[Any, ...]:
    rows = () if answer is None else tuple(answer)
    for row in rows:
        if not isinstance(row, kind):
            raise PluginFault(f"{hook} must give {kind.__name__} rows, not {type(row).__name__}")
    return rows


def _bind(plugin_id: str, row: Route, handlers: Mapping[str, Callable[..., Any]]) -> BoundRoute:
    handler = handlers.get(row.handler)
    if handler is None:
        raise PluginFault(f"row {row.method} {row.path}: there is no handler named {row.handler}")
    return BoundRoute(plugin_id, row, handler)


def _status(candidate: Candidate, plugin: Plugin | None, status: Any, reason: str) -> PluginStatus:
    return PluginStatus(
        id=candidate.id,
        name=plugin.name if plugin else candidate.id,
        version=plugin.version if plugin else "",
        description=plugin.description if plugin else "",
        source=candidate.source,
        status=status,
        reason=reason,
    )
