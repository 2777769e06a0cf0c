"""`guildhall restore`: a backup in the place of an instance."""

import argparse
import asyncio
import os
from pathlib import Path

from kernel.cli.progress import LinesOfProgress, disk_said_plainly
from kernel.config import Settings


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("restore", help="put a backup in place; the server must not run")
    parser.add_argument("folder", type=Path, metavar="DIR", help="what `guildhall backup` made")
    parser.add_argument("--replace", action="store_true", help="in place of the database that is there")
    parser.set_defaults(run=lambda options, settings: asyncio.run(_restore(settings, options)))


async def _restore(settings: Settings, options: argparse.Namespace) -> int:
    import kernel
    from kernel.backup import Destination, restore_backup
    from kernel.blobs import open_blob_store
    from kernel.clock import SystemClock
    from kernel.db import MigrationSource
    from kernel.plugins.admission import Admission
    from kernel.plugins.discovery import discover

    os.umask(0o077)
    admission = Admission()
    admission.admit_all(discover(settings.plugins, settings.blob_store), settings.plugins_blocked)
    plugins = [MigrationSource(owner, folder) for owner, folder in admission.registry.migrations()]
    with disk_said_plainly(settings.data):
        store = await open_blob_store(admission.registry.blob_stores(), settings)
        try:
            destination = Destination(
                url=settings.database_url,
                store=store,
                folder=settings.data,
                secret_key=settings.secret_key,
                sources=[MigrationSource("kernel", Path(kernel.__file__).with_name("migrations")), *plugins],
                clock=SystemClock(),
            )
            done = await restore_backup(
                destination, options.folder, LinesOfProgress(), replace=options.replace
            )
        finally:
            await store.close()
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
