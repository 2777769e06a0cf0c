"""Is a backup still what was written? And putting it in the place of an instance: all of it, or nothing."""

import asyncio
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from builtin_plugins.backup.blobs import AT_ONCE, ListedBlob, put_back, read_list
from builtin_plugins.backup.instance import InstanceCopy, StoredInstance
from builtin_plugins.backup.manifest import (
    BLOB_LIST,
    DATABASE,
    KEY,
    BackupFault,
    Manifest,
    checksum_of_file,
    read_manifest,
)
from guildhall_sdk.blobs import BlobStore
from guildhall_sdk.engines.pools import Progress, TableChecksum
from libs.coordination import each_of


async def check_backup(
    storage: StoredInstance, folder: Path, progress: Progress
) -> tuple[Manifest, list[str]]:
    """Reads all of it; each fault is a line that names a file. Raises `BackupFault` for what is no backup."""
    manifest = read_manifest(folder)
    faults = await asyncio.to_thread(lambda: [*damaged_files(manifest, folder)])
    if not faults:
        faults = await asyncio.to_thread(lambda: [*_faults_in_tables(storage, manifest, folder)])
        faults += await asyncio.to_thread(lambda: [*_faults_in_blobs(manifest, folder, progress)])
    return manifest, faults


def damaged_files(manifest: Manifest, folder: Path) -> Iterator[str]:
    """Yields what is damaged, of everything but the blobs."""
    for name, expected in manifest.files.items():
        path = folder / name
        if not path.is_file():
            yield f"{name} is missing"
        elif checksum_of_file(path) != expected:
            yield f"{name} is damaged"


def _faults_in_tables(storage: StoredInstance, manifest: Manifest, folder: Path) -> Iterator[str]:
    checked, ledger = storage.check_tables(manifest.dialect, folder / DATABASE)
    if checked.damage is not None:
        yield f"{DATABASE} is damaged: {checked.damage}"
        return
    yield from differences(manifest.tables, checked.tables)
    if ledger is not None and ledger != manifest.ledger:
        yield f"{DATABASE} has another schema than the manifest says"


def differences(
    wanted: Mapping[str, TableChecksum], found: Mapping[str, TableChecksum | None]
) -> Iterator[str]:
    """Yields the differences between the tables as they were backed up and these."""
    for name in sorted(wanted.keys() | found.keys()):
        expected, actual = wanted.get(name), found.get(name)
        if expected is None or actual is None:
            yield f"the table {name} is {'missing' if actual is None else 'not in the manifest'}"
        elif expected.rows != actual.rows:
            yield f"the table {name} has {actual.rows} rows, not {expected.rows}"
        elif expected != actual:
            yield f"the table {name} has other rows than the manifest says"


def _faults_in_blobs(manifest: Manifest, folder: Path, progress: Progress) -> Iterator[str]:
    seen = 0
    for blob in read_list(folder / BLOB_LIST):
        if blob.state == "kept":
            seen += 1
            if (fault := _fault_in(blob, folder)) is not None:
                yield fault
            progress("blobs", f"{seen} of {manifest.blobs}")
    if seen != manifest.blobs:
        yield f"{BLOB_LIST} has {seen} blobs, not {manifest.blobs}"


def _fault_in(blob: ListedBlob, folder: Path) -> str | None:
    path = blob.path(folder)
    name = path.relative_to(folder)
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
    except OSError as error:
        return f"{name} cannot be read: {error.strerror}"
    return None if (digest, size) == (blob.sha256, blob.size) else f"{name} is damaged"


@dataclass(frozen=True, slots=True)
class Restored:
    manifest: Manifest
    remarks: tuple[str, ...]


async def restore_backup(
    storage: StoredInstance, store: BlobStore, backup: Path, progress: Progress, *, replace: bool
) -> Restored:
    """Restores a backup; killed at any point, it leaves what was there or what was in the backup.

    Blobs come first: more of them than the rows refer to do no harm. Then the tables take their place in one
    step. Before that they are compared with the manifest, every one and every row.
    """
    manifest = await asyncio.to_thread(_sound_manifest, backup)
    copy = InstanceCopy(
        id=manifest.id,
        dialect=manifest.dialect,
        tables=backup / DATABASE,
        folder=backup,
        files=manifest.files.keys(),
        ledger=manifest.ledger,
        sequences=manifest.sequences,
        secret_key=backup / KEY if manifest.with_key else None,
    )
    if storage.tables.engine.name != manifest.dialect:
        await asyncio.to_thread(_check_tables, storage, manifest, backup)
    async with storage.copied_in(copy, progress, replace=replace) as restoration:
        if restoration.read_again is None:
            different = next(differences(manifest.tables, restoration.tables), None)
        else:
            there = {name: restoration.tables.get(name) for name in restoration.read_again}
            different = next(differences(restoration.read_again, there), None)
        if different is not None:
            raise BackupFault(f"what was read is not what was backed up: {different}; nothing was restored")
        await _put_blobs(store, backup, manifest, progress)
        remark = await restoration.commit()
    return Restored(manifest, (remark,) if remark is not None else ())


def _sound_manifest(backup: Path) -> Manifest:
    manifest = read_manifest(backup)
    if fault := next(damaged_files(manifest, backup), None):
        raise BackupFault(f"{backup}: {fault}; nothing was restored")
    return manifest


def _check_tables(storage: StoredInstance, manifest: Manifest, backup: Path) -> None:
    """Its own engine tells whether it is what was backed up: what another makes of it has other digests."""
    if fault := next(_faults_in_tables(storage, manifest, backup), None):
        raise BackupFault(f"{backup}: {fault}; nothing was restored")


async def _put_blobs(store: BlobStore, backup: Path, manifest: Manifest, progress: Progress) -> None:
    done = 0

    async def put(blob: ListedBlob) -> None:
        nonlocal done
        await put_back(store, backup, blob)
        done += 1
        progress("blobs", f"{done} of {manifest.blobs}")

    await each_of((blob for blob in read_list(backup / BLOB_LIST) if blob.state == "kept"), put, AT_ONCE)
