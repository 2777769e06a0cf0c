"""Backups: made beside a running server, proved by a manifest, put back whole or not at all."""

import re
from collections.abc import Sequence
from typing import Any, Protocol

from builtin_plugins.backup.commands import COMMANDS
from guildhall_sdk import Command, Plugin, hookimpl
from guildhall_sdk.hooks import Declarer, checked, declares
from guildhall_sdk.services.storage import KeptFiles

PLUGIN = Plugin(
    id="backup",
    name="Backup",
    version="0.1.0",
    description="Backing the instance up, restoring it, and looking its blobs through.",
)

_FILE_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")


class BackupHooks(Protocol):
    """The hook of the plugin `backup`."""

    @declares(KeptFiles, label="kept files", functions={"restore": ("restored",)})
    def declare_kept_files(self) -> Sequence[KeptFiles]:
        """Declares files of this plugin that a backup takes, and how a restore puts them in place."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (checked(BackupHooks, declare_kept_files=kept_files_fault),)


def kept_files_fault(kept: KeptFiles, declarer: Declarer) -> str | None:
    """Returns what is wrong with kept files, or None; the secret key is in a backup only on request."""
    wrong = [name for name in kept.names if not _FILE_NAME.fullmatch(name) or name == "secret.key"]
    return f"the kept file {wrong[0]!r} must be the name of a file of its own" if wrong else None


@hookimpl
def declare_commands() -> Sequence[Command]:
    return COMMANDS
