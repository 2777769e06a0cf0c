"""Backups: made beside a running server, proved by a manifest, put back whole or not at all."""

import argparse
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.backup import company_routes, schedule
from builtin_plugins.backup.schedule import SETTINGS, TO, BackupSchedule, check_age, measure_age
from guildhall_sdk import (
    Call,
    Command,
    Host,
    JobKind,
    Metric,
    Plugin,
    Reply,
    Route,
    Setting,
    hookimpl,
)
from guildhall_sdk.commands import CommandHost, HealthCheck, KeptFiles, OpenedHost
from guildhall_sdk.hooks import Declarer, checked, declares
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen

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
        Command(
            name="export",
            help="write all that a company has into a folder",
            opened=_export,
            arguments=add_export_arguments,
        ),
        Command(
            name="import",
            help="take a company in that was exported from another instance",
            opened=_import,
            arguments=add_import_arguments,
        ),
        Command(
            name="erase",
            help="erase a company, or a person, for good",
            opened=_erase,
            arguments=add_erase_arguments,
        ),
    )


@hookimpl
def declare_routes() -> Sequence[Route]:
    return (*company_routes.ROUTES, *schedule.ROUTES)


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return {**company_routes.HANDLERS, **schedule.HANDLERS}


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return SETTINGS


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    return (
        Metric(
            "guildhall_backup_age_seconds",
            "The age of the last backup that was made on the schedule",
            "gauge",
            measure=measure_age,
        ),
    )


@hookimpl
def declare_checks() -> Sequence[HealthCheck]:
    return (HealthCheck(name="backups", order=65, run=check_age),)


@hookimpl
async def on_start(host: Host) -> None:
    if host.setting(TO) is not None:
        host.background("making backups on the schedule", BackupSchedule(host).run)


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen(
            "company-export",
            "/company/export",
            "backup.take_along",
            "download",
            "company",
            order=90,
            permission="org:manage",
        ),
        Screen(
            "backups",
            "/instance/backups",
            "backup.title",
            "archive",
            "instance",
            order=25,
            permission="instance:manage",
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="backup", folder=Path(__file__).with_name("texts")),)


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return company_routes.JOB_KINDS


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


async def _export(options: argparse.Namespace, host: OpenedHost) -> int:
    from builtin_plugins.backup.company_commands import run_export

    return await run_export(options, host)


async def _import(options: argparse.Namespace, host: OpenedHost) -> int:
    from builtin_plugins.backup.company_commands import run_import

    return await run_import(options, host)


async def _erase(options: argparse.Namespace, host: OpenedHost) -> int:
    from builtin_plugins.backup.company_commands import run_erase

    return await run_erase(options, host)


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--org", required=True, metavar="SLUG", help="the company")
    parser.add_argument("folder", type=Path, metavar="DIR", help="an empty folder, or none yet")


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="what `guildhall export` made")


def add_erase_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--org", metavar="SLUG", help="a company with all that it has")
    what.add_argument("--person", metavar="NAME", help="a person, by username, with what is theirs alone")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def _add_backup_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "guildhall backup [--with-key] DIR\n       guildhall backup verify DIR\n       guildhall backup now"
    )
    parser.add_argument("words", nargs="+", metavar="DIR", help="a folder that is not there yet, or is empty")
    parser.add_argument("--with-key", action="store_true", help="put the secret key into it too")
    parser.set_defaults(parser=parser)


def _add_restore_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="what `guildhall backup` made")
    parser.add_argument("--replace", action="store_true", help="in place of the database that is there")


def _add_move_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--to", required=True, metavar="URL", help="postgresql://user@host/name, empty")


def _add_scrub_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--resume", action="store_true", help="go on where the last scrub was ended, and count with it"
    )
