"""Backups: made beside a running server, proved by a manifest, put back whole or not at all."""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from guildhall_sdk import Command, Plugin, hookimpl
from guildhall_sdk.commands import CommandHost, OpenedHost
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
    return (
        Command(
            name="backup",
            help="back everything up, or verify a backup",
            run=_backup,
            arguments=_add_backup_arguments,
        ),
        Command(
            name="restore",
            help="put a backup in place; the server must not run",
            run=_restore,
            arguments=_add_restore_arguments,
        ),
        Command(
            name="move",
            help="copy the stopped instance into another kind of database",
            run=_move,
            arguments=_add_move_arguments,
        ),
        Command(
            name="scrub",
            help="read every blob and compare it with its digest",
            opened=_scrub,
            arguments=_add_scrub_arguments,
        ),
    )


# A server runs none of them: what they need is imported with the command.
def _backup(options: argparse.Namespace, host: CommandHost) -> int:
    from builtin_plugins.backup.commands import run_backup

    return run_backup(options, host)


def _restore(options: argparse.Namespace, host: CommandHost) -> int:
    from builtin_plugins.backup.commands import run_restore

    return run_restore(options, host)


def _move(options: argparse.Namespace, host: CommandHost) -> int:
    from builtin_plugins.backup.commands import run_move

    return run_move(options, host)


async def _scrub(options: argparse.Namespace, host: OpenedHost) -> int:
    from builtin_plugins.backup.commands import run_scrub

    return await run_scrub(options, host)


def _add_backup_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "guildhall backup [--with-key] DIR\n       guildhall backup verify DIR"
    parser.add_argument("words", nargs="+", metavar="DIR", help="a folder that is not there yet, or is empty")
    parser.add_argument("--with-key", action="store_true", help="put the secret key into it too")
    parser.set_defaults(parser=parser)


def _add_restore_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="what `guildhall backup` made")
    parser.add_argument("--replace", action="store_true", help="in place of the database that is there")


def _add_move_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--to", required=True, metavar="URL", help="postgresql://user@host/name, empty")


def _add_scrub_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--resume", action="store_true", help="go on where the last scrub was ended, and count with it"
    )
