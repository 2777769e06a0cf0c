"""`guildhall backup`, `guildhall restore` and `guildhall scrub`."""

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from builtin_plugins.backup.creation import BackupSource, Made, make_backup
from builtin_plugins.backup.instance import StoredInstance
from builtin_plugins.backup.manifest import BackupFault, Manifest
from builtin_plugins.backup.moving import move
from builtin_plugins.backup.restoration import check_backup, restore_backup
from builtin_plugins.backup.scrubbing import Scrub, Scrubbed, Wrong
from guildhall_sdk.blobs import BlobReferences, BlobStorage, StoredBlob
from guildhall_sdk.commands import CommandHost, OpenedHost

_SAY_SECONDS = 5.0


class LinesOfProgress:
    """Says how far it has come every few seconds; nothing at all about what is quick."""

    def __init__(self) -> None:
        self._printed_at = time.monotonic()

    def __call__(self, what: str, state: str) -> None:
        now = time.monotonic()
        if now - self._printed_at >= _SAY_SECONDS:
            self._printed_at = now
            print(f"{what}: {state}", file=sys.stderr, flush=True)


@contextmanager
def disk_errors_translated(folder: Path) -> Iterator[None]:
    """Turns errors of a full or broken disk into one line; `folder` is what is written to."""
    try:
        yield
    except OSError as error:
        raise BackupFault(f"{error.filename or folder}: {error.strerror or error}") from error


_WITHOUT_KEY = "the secret key is not in it: keep it apart, a restore needs it"
_WITH_KEY = "the secret key is in it: who has this folder can open every secret"


def run_backup(options: argparse.Namespace, host: CommandHost) -> int:
    words = options.words
    if len(words) == 2 and words[0] == "verify" and not options.with_key:
        return asyncio.run(_verify(host, words[1]))
    if words == ["now"] and not options.with_key:
        return asyncio.run(_back_up_now(host))
    if len(words) != 1 or words[0] == "verify":
        options.parser.error("takes one folder")
    return asyncio.run(_back_up(host, Path(words[0]).absolute(), with_key=options.with_key))


async def _back_up(host: CommandHost, target: Path, *, with_key: bool) -> int:
    os.umask(0o077)
    storage = StoredInstance(host)
    with disk_errors_translated(target):
        async with storage.live(with_key=with_key) as instance, storage.blobs.opened() as store:
            source = BackupSource(
                instance=instance,
                store=store,
                references=host.plugins.declared(BlobReferences),
                loaded=[one.id for one in host.plugins.statuses() if one.status == "loaded"],
                clock=host.clock,
                version=host.version,
            )
            made = await make_backup(source, target, LinesOfProgress())
    return _report_backup(made, target)


def _report_backup(made: Made, target: Path) -> int:
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


async def _back_up_now(host: CommandHost) -> int:
    from builtin_plugins.backup.scheduled import back_up_now

    os.umask(0o077)
    with disk_errors_translated(host.settings.data):
        made = await back_up_now(host, LinesOfProgress())
    trial = "restored on trial" if made.rehearsed else "not rehearsed"
    print(f"{made.place}: {made.name} is made, and {trial}; {made.removed} older ones are removed")
    return 0


async def _verify(host: CommandHost, given: str) -> int:
    from builtin_plugins.backup.scheduled import opened_backup

    os.umask(0o077)
    with disk_errors_translated(Path(given)):
        async with opened_backup(host, given) as folder:
            manifest, faults = await check_backup(StoredInstance(host), folder, LinesOfProgress())
    for fault in faults:
        print(fault)
    if manifest.lacking:
        print(f"note: {manifest.lacking} blobs were not there to be copied when it was made")
    print(f"{given}: {_summary(manifest)}: {'sound' if not faults else f'{len(faults)} faults'}")
    return 1 if faults else 0


def run_restore(options: argparse.Namespace, host: CommandHost) -> int:
    return asyncio.run(_restore(options, host))


async def _restore(options: argparse.Namespace, host: CommandHost) -> int:
    from builtin_plugins.backup.scheduled import opened_backup

    os.umask(0o077)
    storage = StoredInstance(host)
    with disk_errors_translated(storage.folder):
        async with opened_backup(host, options.folder) as folder, storage.blobs.opened() as store:
            done = await restore_backup(storage, store, folder, LinesOfProgress(), replace=options.replace)
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


def run_move(options: argparse.Namespace, host: CommandHost) -> int:
    moved = asyncio.run(move(host, options.to, LinesOfProgress()))
    for name, table in sorted(moved.tables.items()):
        if table.rows:
            print(f"{name:<32} {table.rows:>10} rows  {table.digest[:16]}")
    rows = sum(table.rows for table in moved.tables.values())
    state = "was moved before, and is" if moved.before else "moved:"
    print(f"{state} {len(moved.tables)} tables and {rows} rows, equal in count and digest")
    print("the old one is as it was; set SERVICE_DATABASE_URL to the new one, keep SERVICE_DATA, and start")
    return 0


FILE = "scrub.json"
_EVERY_BYTES = 64 * 1024 * 1024
_EVERY_BLOBS = 500


async def run_scrub(options: argparse.Namespace, host: OpenedHost) -> int:
    place = _Place(host.settings.data / FILE)
    scrubbed = place.read() if options.resume else Scrubbed()
    async with host.service(BlobStorage).opened() as store:
        references = host.plugins.declared(BlobReferences)
        scrub = Scrub(store, host.data, references, _say, place.note, scrubbed)
        found = await scrub.run(host.clock.now_ms())
    place.forget()
    _report_scrub(found)
    return 0 if found.sound else 1


class _Place:
    """Says on a terminal how far it is, and keeps that in a file, for a scrub that goes on from there."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> Scrubbed:
        """Returns where the last scrub was; a new one where there is nothing to go on from."""
        try:
            return Scrubbed(**json.loads(self._path.read_text("utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            return Scrubbed()

    def note(self, scrubbed: Scrubbed, size: int) -> None:
        crossed = scrubbed.size // _EVERY_BYTES > (scrubbed.size - size) // _EVERY_BYTES
        if not crossed and scrubbed.blobs % _EVERY_BLOBS:
            return
        draft = self._path.with_name(f".{FILE}")
        draft.write_text(json.dumps(asdict(scrubbed)), "utf-8")
        draft.replace(self._path)
        if sys.stderr.isatty():
            read = f"{scrubbed.blobs} blobs, {_mib(scrubbed.size)} read"
            print(f"\r{read}", end="", file=sys.stderr, flush=True)

    def forget(self) -> None:
        self._path.unlink(missing_ok=True)


def _say(wrong: Wrong, blob: StoredBlob) -> None:
    _clear_line()
    size = f" {blob.size} bytes" if wrong == "unused" else ""
    print(f"{wrong:<8} {blob.namespace} {blob.sha256}{size}", flush=True)


def _clear_line() -> None:
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def _report_scrub(found: Scrubbed) -> None:
    _clear_line()
    state = "all sound" if found.sound else f"{found.corrupt} corrupt, {found.missing} missing"
    if found.unlisted is not None:
        unused = "unused ones are not known"
        print(f"note: {found.unlisted}: only what is in use was read; nothing unused or left over is found")
    elif not found.unused_known:
        unused = "no plugin says which are in use"
    else:
        unused = f"{found.unused} unused, {_mib(found.unused_size)}"
    print(f"{found.blobs} blobs, {_mib(found.size)}: {state}; {unused}; {found.leftovers} leftovers removed")


def _mib(size: int) -> str:
    return f"{size / 1024 / 1024:.1f} MiB"
