"""Declarations that are little more than a name."""

import inspect
import re
from typing import get_args

from guildhall_sdk import CredentialKind, Feature, Mount, Samples, Setting
from guildhall_sdk.engines import DatabaseEngine
from guildhall_sdk.plugin_data import PluginData
from guildhall_sdk.principal import TokenKind
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
#: The tokens, and what a job acts with.
_OWN_CREDENTIAL_KINDS = frozenset({*get_args(TokenKind), "job"})


def check_name(label: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise PluginFault(f"the {label} {name!r} must be small letters, digits and _")


def check_engine(engine: DatabaseEngine, plugin: LoadedPlugin, registry: Registry) -> None:
    if isinstance(engine.schemes, str) or not engine.schemes or not engine.dialects:
        raise PluginFault(f"database engine {engine.name}: give lists of its schemes and of its dialects")
    if taken := registry.engines().keys() & set(engine.schemes):
        raise PluginFault(f"database engine {engine.name}: {min(taken)}:// is another's already")


def check_credential_kind(kind: CredentialKind, plugin: LoadedPlugin, registry: Registry) -> None:
    check_name("kind of credential", kind.name)
    if kind.name in _OWN_CREDENTIAL_KINDS:
        raise PluginFault(f"the kind of credential {kind.name} is the kernel's own")
    if not kind.description:
        raise PluginFault(f"kind of credential {kind.name}: say in a line what it is, as its description")


def check_features(plugin: LoadedPlugin, registry: Registry) -> None:
    """Raises `PluginFault`, naming what hangs on a feature that is not there; routes are judged as rows."""
    known = {feature.name for feature in [*registry.declared(Feature), *plugin.declared(Feature)]}
    for name, what in plugin.named_features():
        if name not in known:
            raise PluginFault(f"{what}: nobody declares the feature {name}")


def check_samples(samples: Samples, plugin: LoadedPlugin, registry: Registry) -> None:
    check_name("sample content", samples.name)
    if not inspect.iscoroutinefunction(samples.seed):
        raise PluginFault(f"sample content {samples.name}: its seed must be async")


def check_plugin_data(data: PluginData, plugin: LoadedPlugin, registry: Registry) -> None:
    if not data.name or not data.name.isprintable():
        raise PluginFault("plugin data: its name must be one line of text, such as labels")
    for label, work in (("count", data.count), ("remove", data.remove)):
        if not inspect.iscoroutinefunction(work):
            raise PluginFault(f"plugin data {data.name}: its {label} must be async")


def check_mount(mount: Mount, plugin: LoadedPlugin, registry: Registry) -> None:
    if mount.bind is not None and mount.bind not in plugin.declared(Setting):
        raise PluginFault(f"mount {mount.name}: its bind must be a setting that declare_settings gives")
