"""Retention: what is over is thrown away when it was kept for as long as the operator says."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.retention.audit import KEEP_AUDIT_DAYS
from builtin_plugins.retention.commands import COMMANDS
from builtin_plugins.retention.ended_jobs import KEEP_JOBS_DAYS
from builtin_plugins.retention.plugin_data import PLUGIN_DATA
from builtin_plugins.retention.throwing_away import ThrowingAway
from guildhall_sdk import Command, Host, Migrations, Plugin, Setting, hookimpl
from guildhall_sdk.plugin import PluginData
from guildhall_sdk.retention import RetentionHooks

PLUGIN = Plugin(
    id="retention",
    name="Retention",
    version="0.1.0",
    description="How long what is over is kept, and what is thrown away next.",
)


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (RetentionHooks,)


@hookimpl
def declare_commands() -> Sequence[Command]:
    return COMMANDS


@hookimpl
def declare_plugin_data() -> Sequence[PluginData]:
    return PLUGIN_DATA


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_settings() -> Sequence[Setting[int]]:
    return (KEEP_AUDIT_DAYS, KEEP_JOBS_DAYS)


@hookimpl
async def on_start(host: Host) -> None:
    host.background("throwing away what is old", ThrowingAway(host).run)
