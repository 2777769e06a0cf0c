"""`guildhall restore`: a backup in the place of an instance."""

import argparse
import asyncio
import os
from pathlib import Path

from builtin_plugins.backup.commands.progress import LinesOfProgress, disk_errors_translated
from builtin_plugins.backup.restoration import restore_backup
from guildhall_sdk import Command
from guildhall_sdk.commands import CommandHost
from guildhall_sdk.services.storage import InstanceStorage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="what `guildhall backup` made")
    parser.add_argument("--replace", action="store_true", help="in place of the database that is there")


def run(options: argparse.Namespace, host: CommandHost) -> int:
    return asyncio.run(_restore(options, host))


async def _restore(options: argparse.Namespace, host: CommandHost) -> int:
    os.umask(0o077)
    storage = host.service(InstanceStorage)
    with disk_errors_translated(storage.folder):
        async with storage.blobs() as store:
            done = await restore_backup(
                storage, store, options.folder, LinesOfProgress(), replace=options.replace
            )
    manifest = done.manifest
    for remark in done.remarks:
        print(f"note: {remark}")
    if manifest.lacking:
        print(f"note: {manifest.lacking} blobs were not in the backup; `guildhall scrub` names those in use")
    print(
        f"restored {manifest.id}, as of {manifest.started_at}: {len(manifest.tables)} tables and "
        f"{manifest.rows} rows equal to the manifest, "
        f"{manifest.blobs + manifest.inline_blobs} blobs"
    )
    return 0


COMMAND = Command(
    name="restore", help="put a backup in place; the server must not run", run=run, arguments=add_arguments
)
