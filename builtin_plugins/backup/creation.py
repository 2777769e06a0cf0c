"""Makes a backup beside a running server."""

import asyncio
import secrets
import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from builtin_plugins.backup.blobs import Address, BlobsOut, ListedBlob, each_of, is_referred, referred
from builtin_plugins.backup.folder import atomic_folder, flush, write_file
from builtin_plugins.backup.inline_blobs import inline_blobs
from builtin_plugins.backup.manifest import (
    BLOB_LIST,
    BLOBS,
    DATABASE,
    KEY,
    MANIFEST,
    BackupFault,
    FileChecksum,
    Manifest,
    Step,
    checksum_of_file,
)
from guildhall_sdk import Clock, rfc3339
from guildhall_sdk.blobs import BlobReferences, BlobsNotListed, BlobStore
from guildhall_sdk.services.storage import CopiedTables, LiveInstance, Progress

_WANTED = ".wanted"
_KERNEL = "kernel"


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSource:
    """The instance to back up, and the program's version; the references come from the `loaded` plugins."""

    instance: LiveInstance
    store: BlobStore
    references: Sequence[BlobReferences]
    loaded: Collection[str]
    clock: Clock
    version: str


@dataclass(frozen=True, slots=True)
class Made:
    """`unloaded` have tables in it, and did not say which blobs these refer to."""

    manifest: Manifest
    lacking: tuple[ListedBlob, ...]
    unloaded: tuple[str, ...]


@dataclass(slots=True)
class Inline:
    """The blobs that are in the copied tables, and which of them are not what their digest says."""

    count: int = 0
    size: int = 0
    corrupt: list[ListedBlob] = field(default_factory=list)


async def make_backup(source: BackupSource, target: Path, progress: Progress) -> Made:
    """Makes a backup of everything that was committed when it began, with nothing half done.

    The database comes first, as it is at one moment; then the blobs that it refers to.
    """
    backup_id, started = secrets.token_hex(16), rfc3339(source.clock.now_ms())
    with atomic_folder(target) as work:
        async with source.instance.deletes_held_back(backup_id):
            (work / DATABASE).mkdir(0o700)
            (work / BLOBS).mkdir(0o700)
            async with source.instance.copied_out(work / DATABASE, progress) as copied:
                schema = await _schema(source.instance, copied)
                await _list_wanted(copied, source.references, work / _WANTED)
                inside = await _check_inline(copied, source.references, progress)
            unloaded = tuple(sorted({step.owner for step in schema} - {_KERNEL, *source.loaded}))
            if unloaded:
                await _add_stored(source.store, unloaded[0], work / _WANTED)
            blobs = await _copy_blobs(source, work, inside.corrupt, progress)
        names = await asyncio.to_thread(_copy_small_files, source.instance, work)
        manifest = Manifest(
            id=backup_id,
            version=source.version,
            dialect=source.instance.dialect,
            started_at=started,
            finished_at=rfc3339(source.clock.now_ms()),
            schema=schema,
            tables=copied.tables,
            sequences=copied.sequences,
            files=await asyncio.to_thread(_file_checksums, work, names),
            blobs=blobs.count,
            blob_bytes=blobs.size,
            inline_blobs=inside.count,
            inline_bytes=inside.size,
            lacking=len(blobs.lacking),
            with_key=source.instance.secret_key is not None,
        )
        write_file(work / MANIFEST, manifest.text().encode())
    return Made(manifest, tuple(blobs.lacking), unloaded)


async def _schema(instance: LiveInstance, copied: CopiedTables) -> tuple[Step, ...]:
    async with copied.read() as reader:
        ledger = await instance.ledger(reader)
    return tuple(Step(owner, number, checksum) for (owner, number), checksum in sorted(ledger.items()))


async def _list_wanted(copied: CopiedTables, references: Sequence[BlobReferences], path: Path) -> None:
    """Writes the wanted blobs to a file: there may be millions, and the snapshot need not be held."""
    with path.open("w", encoding="utf-8") as wanted:
        async for namespace, sha256 in referred(copied.read, references):
            wanted.write(f"{namespace} {sha256}\n")


async def _add_stored(store: BlobStore, unloaded: str, path: Path) -> None:
    """Adds all that the store has: what of it a plugin needs that is not loaded, nobody can tell."""
    try:
        stored = store.list()
    except BlobsNotListed as reason:
        raise BackupFault(
            f"the plugin {unloaded} has tables here and is not loaded, and {reason}: "
            "which contents the plugin needs cannot be told; load it, and back up again"
        ) from None
    with path.open("a", encoding="utf-8") as wanted:
        async for blob in stored:
            wanted.write(f"{blob.namespace} {blob.sha256}\n")


async def _check_inline(
    copied: CopiedTables, references: Sequence[BlobReferences], progress: Progress
) -> Inline:
    inside = Inline()
    async for blob in inline_blobs(copied.read, references):
        inside.count += 1
        inside.size += blob.size
        if not blob.sound:
            inside.corrupt.append(ListedBlob(blob.namespace, blob.sha256, state="corrupt"))
        progress("blobs in the database", f"{inside.count}, {inside.size // 1024 // 1024} MiB")
    return inside


async def _copy_blobs(
    source: BackupSource, work: Path, corrupt: Sequence[ListedBlob], progress: Progress
) -> BlobsOut:
    async def still_referred(address: Address) -> bool:
        async with source.instance.data.read() as reader:
            return await is_referred(reader, source.references, address)

    wanted = work / _WANTED
    with (work / BLOB_LIST).open("w", encoding="utf-8") as listed, wanted.open(encoding="utf-8") as lines:
        (work / BLOB_LIST).chmod(0o600)
        blobs = BlobsOut(source.store, work, listed, still_referred, progress)
        await each_of((_wanted(line) for line in lines), blobs.copy)
        for one in corrupt:
            blobs.note_lacking(one)
    flush(work / BLOB_LIST)
    wanted.unlink()
    return blobs


def _wanted(line: str) -> ListedBlob:
    namespace, sha256 = line.split()
    return ListedBlob(namespace, sha256)


def _copy_small_files(instance: LiveInstance, work: Path) -> Collection[str]:
    files = instance.files
    for name, path in files.items():
        (work / name).parent.mkdir(0o700, exist_ok=True)
        shutil.copyfile(path, work / name)
        (work / name).chmod(0o600)
        flush(work / name)
    if instance.secret_key is not None:
        write_file(work / KEY, instance.secret_key + b"\n")
    return files.keys()


def _file_checksums(work: Path, names: Collection[str]) -> dict[str, FileChecksum]:
    files = {path for path in work.iterdir() if path.is_file()}
    files |= {*(work / DATABASE).iterdir(), *(work / name for name in names)}
    return {str(path.relative_to(work)): checksum_of_file(path) for path in sorted(files)}
