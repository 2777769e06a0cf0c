"""Puts a backup in the place of an instance: all of it, or nothing."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from builtin_plugins.backup.blobs import ListedBlob, each_of, put_back, read_list
from builtin_plugins.backup.manifest import BLOB_LIST, DATABASE, KEY, BackupFault, Manifest, read_manifest
from builtin_plugins.backup.verification import damaged_files, differences
from guildhall_sdk.blobs import BlobStore
from guildhall_sdk.services.storage import InstanceCopy, InstanceStorage, Progress


@dataclass(frozen=True, slots=True)
class Restored:
    manifest: Manifest
    remarks: tuple[str, ...]


async def restore_backup(
    storage: InstanceStorage, store: BlobStore, backup: Path, progress: Progress, *, replace: bool
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
    async with storage.copied_in(copy, progress, replace=replace) as restoration:
        if different := list(differences(manifest, restoration.tables)):
            raise BackupFault(
                f"what was read is not what was backed up: {different[0]}; nothing was restored"
            )
        await _put_blobs(store, backup, manifest, progress)
        remark = await restoration.commit()
    return Restored(manifest, (remark,) if remark is not None else ())


def _sound_manifest(backup: Path) -> Manifest:
    manifest = read_manifest(backup)
    if fault := next(damaged_files(manifest, backup), None):
        raise BackupFault(f"{backup}: {fault}; nothing was restored")
    return manifest


async def _put_blobs(store: BlobStore, backup: Path, manifest: Manifest, progress: Progress) -> None:
    done = 0

    async def put(blob: ListedBlob) -> None:
        nonlocal done
        await put_back(store, backup, blob)
        done += 1
        progress("blobs", f"{done} of {manifest.blobs}")

    await each_of((blob for blob in read_list(backup / BLOB_LIST) if blob.state == "kept"), put)
