"""Backups: made beside a running server, proved by a manifest, put back whole or not at all."""

from collections.abc import Sequence
from typing import Any

from builtin_plugins.backup.commands import COMMANDS
from guildhall_sdk import Command, Plugin, hookimpl
from guildhall_sdk.services.storage import BackupHooks

PLUGIN = Plugin(
    id="backup",
    name="Backup",
    version="0.1.0",
    description="Backing the instance up, restoring it, and looking its blobs through.",
)


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (BackupHooks,)


@hookimpl
def declare_commands() -> Sequence[Command]:
    return COMMANDS
