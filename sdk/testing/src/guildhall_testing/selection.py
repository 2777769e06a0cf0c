"""Which plugins the settings of a test run ask for, and the route table they make."""

import importlib
from pathlib import Path
from typing import Any

import pytest

from guildhall_sdk import Permission
from kernel.config import Settings
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import discover, given
from kernel.rbac import DeclaredRoles
from kernel.registry import Registry

_registry: "pytest.StashKey[Registry]" = pytest.StashKey()


def hall_plugins(config: pytest.Config) -> tuple[list[Any], list[Path]]:
    """Reads the setting `hall_plugins`: modules, and folders (they have a slash), relative to the root."""
    names: list[str] = config.getini("hall_plugins")
    modules = [importlib.import_module(name) for name in names if "/" not in name]
    return modules, [config.rootpath / name for name in names if "/" in name]


def shipped_registry(*plugins: Any) -> Registry:
    """Returns what a server without settings would load, and these plugins on top."""
    admission = Admission([*discover(Settings.from_environment({}).plugins), *map(given, plugins)])
    return admission.registry


def registry_of(config: pytest.Config) -> Registry:
    """Returns what a hall of this run would load, without a server; the same one to all who ask."""
    if _registry not in config.stash:
        modules, folders = hall_plugins(config)
        candidates = discover(folders or Settings.from_environment({}).plugins)
        admission = Admission([*candidates, *(given(module) for module in modules)])
        config.stash[_registry] = admission.registry
    return config.stash[_registry]


def roles_of(config: pytest.Config) -> DeclaredRoles:
    """Returns what the roles hold by the permissions of those plugins."""
    return DeclaredRoles(registry_of(config).declared(Permission))


def plugins_under_test(config: pytest.Config, registry: Registry) -> set[str] | None:
    """Returns the ids whose rows are tested: those named, or those brought along; None means all.

    A plugin that should be tested and was not let in stops the run: it would pass for want of rows.
    """
    wanted = set(config.getini("conformance_plugins"))
    if not wanted:
        modules, folders = hall_plugins(config)
        wanted = {module.PLUGIN.id for module in modules}
        if folders:
            wanted |= {status.id for status in registry.statuses() if status.source == "directory"}
    for status in registry.refused:
        if not wanted or status.id in wanted:
            raise pytest.UsageError(f"the plugin {status.id} is {status.status}: {status.reason}")
    if missing := wanted - registry.plugin_ids():
        raise pytest.UsageError(f"no plugin has the id {min(missing)}; see conformance_plugins")
    return wanted or None
