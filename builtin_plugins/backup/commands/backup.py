"""`guildhall backup`: everything in one folder, while the server runs; `backup verify` proves it."""

import argparse
import asyncio
import os
from pathlib import Path

from builtin_plugins.backup.commands.progress import LinesOfProgress, disk_errors_translated
from builtin_plugins.backup.creation import BackupSource, Made, make_backup
from builtin_plugins.backup.manifest import Manifest
from builtin_plugins.backup.verification import check_backup
from guildhall_sdk import Command
from guildhall_sdk.blobs import BlobReferences
from guildhall_sdk.commands import CommandHost
from guildhall_sdk.services.storage import InstanceStorage

_WITHOUT_KEY = "the secret key is not in it: keep it apart, a restore needs it"
_WITH_KEY = "the secret key is in it: who has this folder can open every secret"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "guildhall backup [--with-key] DIR\n       guildhall backup verify DIR"
    parser.add_argument("words", nargs="+", metavar="DIR", help="a folder that is not there yet, or is empty")
    parser.add_argument("--with-key", action="store_true", help="put the secret key into it too")
    parser.set_defaults(parser=parser)


def run(options: argparse.Namespace, host: CommandHost) -> int:
    words = options.words
    if len(words) == 2 and words[0] == "verify" and not options.with_key:
        return asyncio.run(_verify(host, Path(words[1])))
    if len(words) != 1 or words[0] == "verify":
        options.parser.error("takes one folder")
    return asyncio.run(_back_up(host, Path(words[0]).absolute(), with_key=options.with_key))


async def _back_up(host: CommandHost, target: Path, *, with_key: bool) -> int:
    os.umask(0o077)
    storage = host.service(InstanceStorage)
    with disk_errors_translated(target):
        async with storage.live(with_key=with_key) as instance, storage.blobs() as store:
            source = BackupSource(
                instance=instance,
                store=store,
                references=host.plugins.declared(BlobReferences),
                loaded=[one.id for one in host.plugins.statuses() if one.status == "loaded"],
                clock=host.clock,
                version=host.version,
            )
            made = await make_backup(source, target, LinesOfProgress())
    return _report(made, target)


def _report(made: Made, target: Path) -> int:
    for blob in made.lacking:
        print(f"{blob.state:8} {blob.namespace} {blob.sha256}")
    print(f"{target}: {_summary(made.manifest)}")
    print(_WITH_KEY if made.manifest.with_key else _WITHOUT_KEY)
    for plugin_id in made.unloaded:
        print(f"note: the plugin {plugin_id} is not loaded: all that the blob store has is in it, unused too")
    wrong = [blob for blob in made.lacking if blob.state != "deleted"]
    if wrong:
        print(f"{len(wrong)} blobs were not there to be copied; see `guildhall scrub`")
    return 1 if wrong else 0


def _summary(manifest: Manifest) -> str:
    blobs, size = manifest.blobs + manifest.inline_blobs, manifest.blob_bytes + manifest.inline_bytes
    inside = f" ({manifest.inline_blobs} in the tables)" if manifest.inline_blobs else ""
    return (
        f"{len(manifest.tables)} tables, {manifest.rows} rows, {blobs} blobs{inside}, "
        f"{size / 1024 / 1024:.1f} MiB, as of {manifest.started_at}"
    )


async def _verify(host: CommandHost, folder: Path) -> int:
    with disk_errors_translated(folder):
        manifest, faults = await check_backup(host.service(InstanceStorage), folder, LinesOfProgress())
    for fault in faults:
        print(fault)
    if manifest.lacking:
        print(f"note: {manifest.lacking} blobs were not there to be copied when it was made")
    print(f"{folder}: {_summary(manifest)}: {'sound' if not faults else f'{len(faults)} faults'}")
    return 1 if faults else 0


COMMAND = Command(
    name="backup", help="back everything up, or verify a backup", run=run, arguments=add_arguments
)
