"""`guildhall backup`: everything in one folder, while the server runs; `backup verify` proves it."""

import argparse
import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from guildhall_sdk import BlobReferences
from kernel.cli.progress import LinesOfProgress, disk_said_plainly
from kernel.config import Settings

if TYPE_CHECKING:
    from kernel.backup import Made, Manifest

_WITHOUT_KEY = "the secret key is not in it: keep it apart, a restore needs it"
_WITH_KEY = "the secret key is in it: who has this folder can open every secret"


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "backup",
        help="back everything up, or verify a backup",
        usage="guildhall backup [--with-key] DIR\n       guildhall backup verify DIR",
    )
    parser.add_argument("words", nargs="+", metavar="DIR", help="a folder that is not there yet, or is empty")
    parser.add_argument("--with-key", action="store_true", help="put the secret key into it too")
    parser.set_defaults(run=lambda options, settings: _run(parser, options, settings))


def _run(parser: argparse.ArgumentParser, options: argparse.Namespace, settings: Settings) -> int:
    words = options.words
    if len(words) == 2 and words[0] == "verify" and not options.with_key:
        return asyncio.run(_verify(Path(words[1])))
    if len(words) != 1 or words[0] == "verify":
        parser.error("takes one folder")
    return asyncio.run(_back_up(settings, Path(words[0]).absolute(), with_key=options.with_key))


async def _back_up(settings: Settings, target: Path, *, with_key: bool) -> int:
    from kernel.backup import Source, make_backup
    from kernel.blobs import open_blob_store
    from kernel.clock import SystemClock
    from kernel.db import Database
    from kernel.plugins.admission import Admission
    from kernel.plugins.discovery import discover
    from kernel.secrets import load_secret_key

    os.umask(0o077)
    key = load_secret_key(settings.secret_key, settings.data) if with_key else None
    admission = Admission()
    admission.admit_all(discover(settings.plugins, settings.blob_store), settings.plugins_blocked)
    data = Database(settings.database_url, shared=True)
    with disk_said_plainly(target):
        await data.connect()
        try:
            store = await open_blob_store(admission.registry.blob_stores(), settings)
            try:
                source = Source(
                    data=data,
                    url=settings.database_url,
                    store=store,
                    references=admission.registry.declared(BlobReferences),
                    folder=settings.data,
                    clock=SystemClock(),
                    version=settings.version,
                    secret_key=key,
                )
                made = await make_backup(source, target, LinesOfProgress())
            finally:
                await store.close()
        finally:
            await data.disconnect()
    return _report(made, target)


def _report(made: "Made", target: Path) -> int:
    for blob in made.lacking:
        print(f"{blob.state:8} {blob.namespace} {blob.sha256}")
    print(f"{target}: {_figures(made.manifest)}")
    print(_WITH_KEY if made.manifest.with_key else _WITHOUT_KEY)
    wrong = [blob for blob in made.lacking if blob.state != "deleted"]
    if wrong:
        print(f"{len(wrong)} blobs were not there to be copied; see `guildhall scrub`")
    return 1 if wrong else 0


def _figures(manifest: "Manifest") -> str:
    blobs, size = manifest.blobs + manifest.inline_blobs, manifest.blob_bytes + manifest.inline_bytes
    inside = f" ({manifest.inline_blobs} in the tables)" if manifest.inline_blobs else ""
    return (
        f"{len(manifest.tables)} tables, {manifest.rows} rows, {blobs} blobs{inside}, "
        f"{size / 1024 / 1024:.1f} MiB, as of {manifest.started_at}"
    )


async def _verify(folder: Path) -> int:
    from kernel.backup import check_backup

    with disk_said_plainly(folder):
        manifest, faults = await check_backup(folder, LinesOfProgress())
    for fault in faults:
        print(fault)
    if manifest.lacking:
        print(f"note: {manifest.lacking} blobs were not there to be copied when it was made")
    print(f"{folder}: {_figures(manifest)}: {'sound' if not faults else f'{len(faults)} faults'}")
    return 1 if faults else 0
