"""Preferences: what teams and companies decide about plugins, and what a preference must be for that."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.preferences.rows import FACTORIES, HANDLERS, ROUTES
from builtin_plugins.preferences.store import MAX_PREFERENCE_BYTES, PLUGIN_DATA, StoredPreferences
from guildhall_sdk import Call, Factory, Host, Plugin, Preference, Reply, Route, hookimpl
from guildhall_sdk.hooks import Declarer, Proven, checked, declares, proven
from guildhall_sdk.plugin import PluginData, Plugins
from guildhall_sdk.services.computing import Validators
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.settings import Preferences
from libs.names import identifier_fault

PLUGIN = Plugin(
    id="preferences",
    name="Preferences",
    version="0.1.0",
    description="What teams and companies decide about plugins.",
    essential=True,
)


class PreferenceHooks(Protocol):
    """The hook of the plugin `preferences`."""

    @declares(Preference, label="preference")
    def declare_preferences(self) -> Sequence[Preference[Any]]:
        """Declares what each team or company decides about this plugin, by the service `Preferences`."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    hooks = checked(PreferenceHooks, declare_preferences=preference_fault)
    return (proven(hooks, declare_preferences=_proven),)


@hookimpl
def declare_plugin_data() -> Sequence[PluginData]:
    return PLUGIN_DATA


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen(
            "preferences",
            "/preferences",
            "preferences.title",
            "sliders-horizontal",
            "team",
            order=45,
            permission="settings:manage",
        ),
    )


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Preferences: _preferences}


def _preferences(host: Host) -> StoredPreferences:
    return StoredPreferences(host.service(Plugins), host.service(Validators), host.clock)


def _proven(preference: "Preference[Any]") -> Proven:
    schema = preference.schema
    return Proven(schemas={"its schema": schema}, fitting={"its default": (preference.default, schema)})


def preference_fault(preference: "Preference[Any]", declarer: Declarer) -> str | None:
    """Returns what is wrong with a preference, or None."""
    label = f"preference {preference.name}"
    if (fault := identifier_fault("preference", preference.name)) is not None:
        return fault
    if not preference.help or not preference.help.isprintable():
        return f"{label}: its help must be one line of text"
    if preference.holder not in ("team", "company"):
        return f"{label}: its holder must be team or company, not {preference.holder!r}"
    if [own.name for own in declarer.declared(Preference)].count(preference.name) > 1:
        return f"the {label} is declared twice"
    if preference.title and not preference.title.isprintable():
        return f"{label}: its title must be one line of text"
    schema_fault = _json_fault(f"{label}: its schema", preference.schema)
    return schema_fault or _json_fault(f"{label}: its default", preference.default)


def _json_fault(what: str, value: object) -> str | None:
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return f"{what} must be JSON"
    if len(text) > MAX_PREFERENCE_BYTES:
        return f"{what} must be at most {MAX_PREFERENCE_BYTES} bytes as JSON"
    return None


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="preferences", folder=Path(__file__).with_name("texts")),)
