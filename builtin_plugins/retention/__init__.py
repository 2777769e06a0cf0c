"""Retention: what is over is thrown away when it was kept for as long as the operator says."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.retention.commands import COMMANDS
from builtin_plugins.retention.ended_jobs import KEEP_JOBS_DAYS
from builtin_plugins.retention.periods import KEEP_AUDIT_DAYS
from builtin_plugins.retention.sweeper import PLUGIN_DATA, RetentionSweeper
from guildhall_sdk import Command, Host, Migrations, Plugin, Setting, hookimpl
from guildhall_sdk.hooks import declares
from guildhall_sdk.plugin import PluginData
from guildhall_sdk.retention import Retained

PLUGIN = Plugin(
    id="retention",
    name="Retention",
    version="0.1.0",
    description="How long what is over is kept, and what is thrown away next.",
)


class RetentionHooks(Protocol):
    """The hook of the plugin `retention`."""

    @declares(
        Retained,
        label="retained",
        name="name",
        functions={
            "count": ("reader", "before"),
            "delete_expired": ("writer", "before", "limit"),
            "seek": ("reader", "before"),
        },
    )
    def declare_retained(self) -> Sequence[Retained]:
        """Declares rows of this plugin that are thrown away some days after they are over."""


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
    host.background("throwing away what is old", RetentionSweeper(host).run)
