"""Makes a backup beside a running server, in a folder that appears under its name when it is whole."""

import asyncio
import fcntl
import os
import secrets
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from builtin_plugins.backup.blobs import (
    AT_ONCE,
    Address,
    BlobsOut,
    ListedBlob,
    inline_blobs,
    is_referred,
    referred,
)
from builtin_plugins.backup.instance import CopiedTables, LiveInstance
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
from guildhall_sdk.engines.pools import Progress
from libs.coordination import each_of

_PARTIAL = ".guildhall-partial-"


@contextmanager
def atomic_folder(target: Path) -> Iterator[Path]:
    """Opens a private folder that becomes the target at a clean end, and else is removed.

    What a killed process left beside the target is removed by the next: nobody has it locked any more.
    """
    _check_free(target)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _remove_leftovers(target.parent)
    work = target.parent / f".{target.name}{_PARTIAL}{os.getpid()}"
    work.mkdir(mode=0o700)
    lock = os.open(work, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not work.exists():
            raise BackupFault(f"another backup beside {target} took its folder for a leftover; try again")
        yield work
        flush_folders(work)
        _check_free(target)
        work.rename(target)
        flush(target.parent)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    finally:
        os.close(lock)


def write_file(path: Path, content: bytes) -> None:
    """Writes a private file, which is on the disk when it returns."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flush_folders(folder: Path) -> None:
    for path, _folders, _files in os.walk(folder):
        flush(Path(path))


def _check_free(target: Path) -> None:
    try:
        occupied = target.exists() and (not target.is_dir() or any(target.iterdir()))
    except OSError as error:
        raise BackupFault(f"{target} cannot be used: {error.strerror}") from None
    if occupied:
        raise BackupFault(f"{target} is not empty; a backup goes into a folder of its own")


def _remove_leftovers(parent: Path) -> None:
    for left in parent.glob(f".*{_PARTIAL}*"):
        try:
            descriptor = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue  # gone meanwhile, or nothing that we made
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(left, ignore_errors=True)
        except BlockingIOError:
            continue
        finally:
            os.close(descriptor)


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
        instance = source.instance
        async with instance.stored.blobs.deletes_held_back(instance.data, backup_id):
            (work / DATABASE).mkdir(0o700)
            (work / BLOBS).mkdir(0o700)
            async with instance.copied_out(work / DATABASE, progress) as copied:
                schema = await _schema(instance, copied)
                await _list_wanted(copied, source.references, work / _WANTED)
                inside = await _check_inline(copied, source.references, progress)
            unloaded = tuple(sorted({step.owner for step in schema} - {_KERNEL, *source.loaded}))
            if unloaded:
                await _add_stored(source.store, unloaded[0], work / _WANTED)
            blobs = await _copy_blobs(source, work, inside.corrupt, progress)
        names = await asyncio.to_thread(_copy_small_files, instance, work)
        manifest = Manifest(
            id=backup_id,
            version=source.version,
            dialect=instance.dialect,
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
            with_key=instance.secret_key is not None,
        )
        write_file(work / MANIFEST, manifest.text().encode())
    return Made(manifest, tuple(blobs.lacking), unloaded)


async def _schema(instance: LiveInstance, copied: CopiedTables) -> tuple[Step, ...]:
    async with copied.read() as reader:
        ledger = await instance.stored.tables.ledger(reader)
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
        await each_of((_wanted(line) for line in lines), blobs.copy, AT_ONCE)
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
