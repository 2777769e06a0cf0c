"""Backups: made beside a running server, proved by a manifest, put back whole or not at all."""

from collections.abc import Sequence

from builtin_plugins.backup.commands import COMMANDS
from guildhall_sdk import Command, Plugin, hookimpl

PLUGIN = Plugin(
    id="backup",
    name="Backup",
    version="0.1.0",
    description="Backing the instance up, restoring it, and looking its blobs through.",
)


@hookimpl
def declare_commands() -> Sequence[Command]:
    return COMMANDS
