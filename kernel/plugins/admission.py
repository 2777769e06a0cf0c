"""Letting plugins in: each whole or not at all, and never at the cost of another."""

import re
import time
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from guildhall_sdk import Factory, Migrations, Plugin, Problem, Route
from guildhall_sdk.hooks import PROJECT, SPECIFICATIONS, RowMaker
from guildhall_sdk.plugin import PluginStatus
from guildhall_sdk.principal import CredentialKind
from guildhall_sdk.public import GONE, NEWEST_API, OLDEST_API
from kernel.config import Settings
from kernel.declarations.permissions import check_named_permissions
from kernel.declarations.routes import bind, with_preflights
from kernel.declarations.table import DECLARATIONS, KERNEL_HOOKS, check_plugin, hookspecs_of
from kernel.faults import BootRefused, PluginFault, require
from kernel.logs import get_logger
from kernel.plugins.discovery import Candidate, check_id, discover, given
from kernel.plugins.reasons import reason_of, words_to_change
from kernel.registry import Declaration, LoadedPlugin, Registry, described_by
from libs.modules import in_order
from libs.plugin_hooks import Hooks, specified_in
from libs.redaction import redact

SLOW_IMPORT_SECONDS = 1.0
_log = get_logger("boot")


class _Loaded(NamedTuple):
    candidate: Candidate
    plugin: Plugin
    module: Any


class Admission:
    """Takes candidates through loading, ordering, checking and merging into one registry.

    Not `strict`, it goes on without a plugin that a server needs, and `checked` raises why none would start.
    """

    def __init__(
        self, candidates: Sequence[Candidate] = (), blocked: Set[str] = frozenset(), *, strict: bool = True
    ) -> None:
        self._strict = strict
        self.refusal: BootRefused | None = None
        self.hooks = Hooks(PROJECT, SPECIFICATIONS)
        self.registry = Registry(declarations=DECLARATIONS)
        #: The hooks that plugins bring for others, whether or not they are admitted yet.
        self._hookspecs: dict[str, Declaration] = {}
        #: How types of theirs among the rows of others become rows.
        self._row_makers: dict[type[Any], RowMaker] = {}
        self._loaded: dict[str, _Loaded] = {}
        self.unknown_blocked: Sequence[str] = ()
        self.slow_imports: dict[str, float] = {}
        self.admit_all(candidates, blocked)

    def checked(self) -> Registry:
        """Returns what was let in; raises `BootRefused` where no server would start with it."""
        if self.refusal is not None:
            raise self.refusal
        return self.registry

    def warn(self) -> None:
        """Logs which plugins are not as the operator may think."""
        for plugin in self.registry.plugins:
            if (notice := self.registry.notice(plugin)) is not None:
                _log.warning("plugin.hook_without_owner", plugin=plugin.id, reason=notice)
        for status in self.registry.refused:
            _log.warning(f"plugin.{status.status}", plugin=status.id, reason=status.reason)
        for plugin_id, seconds in self.slow_imports.items():
            _log.warning("plugin.slow_import", plugin=plugin_id, seconds=seconds)
        for unknown in self.unknown_blocked:
            # It goes on: a plugin that was blocked may be uninstalled, or not be installed yet.
            _log.warning("plugin.unknown_blocked", plugin=unknown, setting="SERVICE_PLUGINS_BLOCKED")

    def admit_all(self, candidates: Sequence[Candidate], blocked: Set[str] = frozenset()) -> None:
        """Lets in those that may come in; what a plugin requires is among them, or was let in before."""
        loaded = self._load_all(candidates, blocked)
        order, circles = in_order({name: one.plugin.requires for name, one in loaded.items()})
        for name, circle in circles.items():
            fault = PluginFault(f"requires itself in a circle: {' → '.join(circle)}")
            self._refuse(loaded[name].candidate, loaded[name].plugin, fault)
        # Who brings hooks for others may come after those that implement them.
        for step in (self._register, self._admit):
            order = [name for name in order if self._goes_on(step, loaded[name])]
        self._withdraw_unpermitted()

    def _goes_on(self, step: "Callable[[_Loaded], None]", one: _Loaded) -> bool:
        try:
            step(one)
        except (Exception, SystemExit) as error:
            self.hooks.unregister(one.plugin.id)
            self._refuse(one.candidate, one.plugin, error)
            return False
        return True

    def _load_all(self, candidates: Sequence[Candidate], blocked: Set[str]) -> dict[str, _Loaded]:
        loaded: dict[str, _Loaded] = {}
        self.unknown_blocked = sorted(blocked - {candidate.id for candidate in candidates})
        for candidate in candidates:
            if candidate.id in blocked:
                reason = "blocked by SERVICE_PLUGINS_BLOCKED"
                self.registry.refused.append(status_of(candidate, None, "blocked", reason))
                continue
            self.registry.installed.setdefault(candidate.id, (candidate.installed, candidate.found))
            plugin: Plugin | None = None
            try:
                # Before the import: one of the same name would take the place of the other's modules.
                if (first := self._loaded.get(candidate.id)) is not None:
                    places = f"{first.candidate.place}; this is {candidate.place}"
                    raise PluginFault(f"the id {candidate.id} is taken by {places}: remove one")
                plugin, module = self._timed_load(candidate)
                _check_manifest(plugin)
                loaded[plugin.id] = self._loaded[plugin.id] = _Loaded(candidate, plugin, module)
            except (Exception, SystemExit) as error:
                self._refuse(candidate, plugin, error)
        return loaded

    def _timed_load(self, candidate: Candidate) -> tuple[Plugin, Any]:
        """Imports a plugin, and remembers one that takes long: everybody waits for an import."""
        started = time.perf_counter()
        try:
            return candidate.load()
        finally:
            seconds = time.perf_counter() - started
            if seconds > SLOW_IMPORT_SECONDS:
                self.slow_imports[candidate.id] = round(seconds, 1)

    def _register(self, one: _Loaded) -> None:
        """Registers the hooks that a plugin implements, and adds those that it brings for others."""
        implementations = self.hooks.read(one.module)
        if implementations.keys() & GONE.keys():
            raise PluginFault(words_to_change(getattr(one.module, "__file__", None), implementations))
        self.hooks.register(one.plugin.id, one.candidate.module, implementations)
        brought = self._declared_by(one, "declare_hooks") or ()
        classes = (brought,) if isinstance(brought, type) else tuple(brought)
        self._hookspecs |= hookspecs_of(one.plugin.id, classes, self._hookspecs)
        for hooks in classes:
            if specified_in(hooks, PROJECT):
                self.hooks.specify(hooks)
            for kind, make in getattr(hooks, "row_makers", {}).items():
                rule = f"rows of {kind.__qualname__} are made by another plugin already"
                require("declare_hooks", {rule: self._row_makers.setdefault(kind, make) is make})

    def _admit(self, one: _Loaded) -> None:
        for need in one.plugin.requires:
            if need not in self.registry.plugin_ids():
                raise PluginFault(f"requires {need}, which is not loaded")
        hooks = self.hooks.implemented_by(one.plugin.id)
        plugin = self._collect(one, hooks)
        check_plugin(plugin, self.registry, self._hookspecs.values())
        if "decide_principal" in hooks and not plugin.declared(CredentialKind):
            raise PluginFault("decide_principal: name what people sign in with by declare_credential_kinds")
        self.registry.add(plugin)

    def _declared_by(self, one: _Loaded, hook: str) -> Any:
        """Calls a hook of one plugin; returns None where it does not implement it."""
        if not self.hooks.is_implemented(hook, one.plugin.id):
            if callable(getattr(one.module, hook, None)):
                raise PluginFault(f"{hook} lacks the @hookimpl mark")
            return None
        for answer in self.hooks.call(hook, one.plugin.id):
            return answer
        raise PluginFault(f"{hook} returns None; return what it declares, or leave it out")

    def _collect(self, one: _Loaded, hooks: Set[str]) -> LoadedPlugin:
        """Calls what a plugin declares; of a hook that nobody brought, nothing is called."""
        plugin_id = one.plugin.id
        declare = partial(self._declared_by, one)

        def declared(hook: str, kind: type[Any]) -> tuple[Any, ...]:
            rows = tuple(declare(hook) or ())
            for row in rows:
                if not isinstance(row, kind):
                    raise PluginFault(f"{hook} must give {kind.__name__} rows, not {type(row).__name__}")
            return rows

        handlers = declare("declare_handlers") or {}
        given = [made for row in declare("declare_routes") or () for made in self._rows_of(row, plugin_id)]
        rows = [row for row in given if isinstance(row, Route)]
        migrations = declare("declare_migrations")
        if migrations is not None and not (isinstance(migrations, Migrations) and migrations.folder.is_dir()):
            raise PluginFault("declare_migrations must give Migrations with a folder that is there")
        declarations = (*DECLARATIONS, *self._hookspecs.values())
        kinds = {kind.result.type: declared(kind.hook, kind.result.type) for kind in declarations}
        kinds[Factory] += tuple(made for made in given if isinstance(made, Factory))
        return LoadedPlugin(
            plugin=one.plugin,
            source=one.candidate.source,
            module=one.candidate.module,
            routes=with_preflights([bind(plugin_id, row, handlers) for row in rows]),
            unrouted=tuple(sorted(set(handlers) - {row.handler for row in rows})),
            rows={kind: found for kind, found in kinds.items() if found},
            services=dict(declare("declare_services") or {}),
            migrations=None if migrations is None else migrations.folder,
            derived=() if migrations is None else migrations.derived,
            folder=_folder_of(one.module),
            hookspecs=tuple(spec for spec in self._hookspecs.values() if spec.owner == plugin_id),
            others_hooks=tuple(sorted(hooks - KERNEL_HOOKS)),
        )

    def _rows_of(self, given: Any, plugin_id: str) -> Iterable[Route | Factory]:
        """Returns a row, or what an object stands for whose type some plugin makes rows of."""
        if isinstance(given, Route):
            return [given]
        if (make := self._row_makers.get(type(given))) is None:
            blocked = [one.id for one in self.registry.refused if one.status == "blocked"]
            out = f"; {', '.join(blocked)} may make rows of it and is blocked" if blocked else ""
            raise PluginFault(f"declare_routes must give Route rows, not {type(given).__name__}{out}")
        try:
            return list(make(given, plugin_id))
        except Problem as refusal:
            raise PluginFault(refusal.detail) from None

    def withdraw(self, plugin_id: str, reason: str) -> None:
        """Takes an admitted plugin out again before serving, and with it those that require it."""
        reason = redact(reason)
        for plugin in self.registry.plugins:
            if plugin.id == plugin_id:
                if plugin.plugin.essential:
                    self._stop(plugin_id, reason)
                self.hooks.unregister(plugin_id)
                self.registry.remove(plugin)
                self.registry.refused.append(plugin.refused(reason))
            elif plugin_id in plugin.plugin.requires:
                self.withdraw(plugin.id, f"requires {plugin_id}, which is not loaded")
        self._withdraw_unpermitted()

    def _withdraw_unpermitted(self) -> None:
        """Withdraws plugins that ask for a permission of a plugin that was taken out."""
        declarations = (*DECLARATIONS, *self._hookspecs.values())
        for plugin in self.registry.plugins:
            try:
                check_named_permissions(plugin, self.registry, declarations)
            except PluginFault as fault:
                self.withdraw(plugin.id, str(fault))
                return  # which has looked through the rest

    def _refuse(self, candidate: Candidate, plugin: Plugin | None, error: BaseException) -> None:
        reason = redact(reason_of(error, candidate.module))
        plugin = plugin or candidate.manifest
        if candidate.essential or (plugin is not None and plugin.essential):
            self._stop(candidate.id, reason)
        self.registry.refused.append(status_of(candidate, plugin, "quarantined", reason))

    def _stop(self, plugin_id: str, reason: str) -> None:
        self.refuse(f"the plugin {plugin_id} cannot be loaded and the server needs it: {reason}")

    def refuse(self, reason: str) -> None:
        """Keeps the first reason why no server would start; where that is strict, raises it."""
        self.refusal = self.refusal or BootRefused(reason)
        if self._strict:
            raise self.refusal


def admit(settings: Settings, more: Sequence[Any] = (), *, strict: bool = True) -> Admission:
    """Lets in what these settings find, and plugins that are handed over as objects."""
    admission = Admission(strict=strict)
    try:
        found = discover(settings.plugins, settings.blob_store)
    except BootRefused as refusal:
        admission.refuse(str(refusal))
        found = discover((), settings.blob_store)
    admission.admit_all([*found, *map(given, more)], settings.plugins_blocked)
    return admission


def _check_manifest(plugin: Plugin) -> None:
    check_id(plugin.id)
    if isinstance(plugin.requires, str) or not all(isinstance(need, str) for need in plugin.requires):
        raise PluginFault("requires must be a list of plugin ids")
    if isinstance(plugin.kept_folders, str) or not all(map(_is_folder_name, plugin.kept_folders)):
        raise PluginFault("kept_folders must be a list of names of folders, each of small letters and digits")
    if not OLDEST_API <= plugin.api <= NEWEST_API:
        remedy = "update the server" if plugin.api > NEWEST_API else "update the plugin"
        spoken = f"{OLDEST_API} to {NEWEST_API}" if OLDEST_API < NEWEST_API else f"{NEWEST_API}"
        raise PluginFault(f"it is written for API {plugin.api}; this server speaks {spoken}: {remedy}")


def _is_folder_name(name: object) -> bool:
    return isinstance(name, str) and re.fullmatch(r"[a-z][a-z0-9_-]{0,63}", name) is not None


def _folder_of(module: Any) -> Path | None:
    """Returns the folder of a package; around a single module there are others' files."""
    for folder in getattr(module, "__path__", ()):
        return Path(folder).absolute()
    return None


def status_of(candidate: Candidate, plugin: Plugin | None, status: Any, reason: str) -> PluginStatus:
    """Returns how a candidate that is out describes itself, and why it is out."""
    described = described_by(plugin or Plugin(candidate.id, candidate.id, "", ""), candidate.source)
    return replace(described, id=candidate.id, status=status, reason=reason)
