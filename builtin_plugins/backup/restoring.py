"""Puts a backup in the place of an instance: all of it, or nothing."""

import asyncio
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from guildhall_sdk import BlobStore, Clock
from kernel.audit import AnchorFile, Trail, read_heads
from kernel.audit.anchor_file import EARLIER, FILE
from kernel.audit.trail import sql as audit_sql
from kernel.backup.blobs import ListedBlob, each_of, put_back, read_list
from kernel.backup.checking import damaged_files, differences
from kernel.backup.faults import BackupFault
from kernel.backup.folder import flush, write_file
from kernel.backup.manifest import BLOB_LIST, DATABASE, KEY, Manifest, read_manifest
from kernel.db import Migration, MigrationSource, Progress, Restoration, check_known, copied_in, dialect_of
from kernel.secrets import SealedVault, SecretKeyError, load_secret_key, read_key_file
from kernel.secrets.keyfile import KEY_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """Where a backup goes, and the program that is to serve it from then on."""

    url: str
    store: BlobStore
    folder: Path
    secret_key: str | None
    sources: Sequence[MigrationSource]
    clock: Clock


@dataclass(frozen=True, slots=True)
class Restored:
    manifest: Manifest
    remarks: tuple[str, ...]


async def restore_backup(
    destination: Destination, backup: Path, progress: Progress, *, replace: bool
) -> Restored:
    """Killed at any point, it leaves what was there or what was in the backup.

    Blobs come first: more of them than the rows refer to do no harm. Then the tables take their place in
    one step. Before that they are compared with the manifest, every one and every row.
    """
    manifest = await asyncio.to_thread(_sound_manifest, backup)
    steps = _known_steps(destination, manifest)
    key = _key_for(destination, backup, manifest)
    async with copied_in(
        destination.url, backup / DATABASE, steps, manifest.sequences, progress, replace=replace
    ) as restoration:
        if different := list(differences(manifest, restoration.tables)):
            raise BackupFault(
                f"what was read is not what was backed up: {different[0]}; nothing was restored"
            )
        trail = await _trail(restoration, key, destination.clock)
        await _put_blobs(destination.store, backup, manifest, progress)
        await asyncio.to_thread(_keep_key, destination, backup, manifest)
        await _note(restoration, trail, destination, backup, manifest)
        remark = await restoration.commit()
    return Restored(manifest, (remark,) if remark is not None else ())


def _sound_manifest(backup: Path) -> Manifest:
    manifest = read_manifest(backup)
    if fault := next(damaged_files(manifest, backup), None):
        raise BackupFault(f"{backup}: {fault}; nothing was restored")
    return manifest


def _known_steps(destination: Destination, manifest: Manifest) -> list[Migration]:
    dialect = dialect_of(destination.url)
    if dialect != manifest.dialect:
        raise BackupFault(
            f"this backup is of {manifest.dialect}, and SERVICE_DATABASE_URL names {dialect}; "
            "a backup goes back into a database of its own kind"
        )
    return check_known(manifest.ledger, destination.sources, dialect, all_owners=dialect == "postgresql")


def _key_for(destination: Destination, backup: Path, manifest: Manifest) -> bytes:
    """The key that is set up here; else the one in the backup, if it was made with it."""
    if destination.secret_key is None and not (destination.folder / KEY_FILE).exists():
        if manifest.with_key:
            return read_key_file(backup / KEY)
        raise SecretKeyError(
            f"the secret key is not in this backup: put it at {destination.folder / KEY_FILE}, "
            "or set SERVICE_SECRET_KEY, and restore again"
        )
    return load_secret_key(destination.secret_key, destination.folder)


async def _trail(restoration: Restoration, key: bytes, clock: Clock) -> Trail | None:
    """Raises `SecretKeyMismatch` for a key that does not open it; None for an instance that never began."""
    vault = SealedVault(key, clock)
    async with restoration.read() as reader:
        await vault.keyring.load(reader)
    return Trail(vault, clock) if vault.keyring.complete() else None


async def _put_blobs(store: BlobStore, backup: Path, manifest: Manifest, progress: Progress) -> None:
    done = 0

    async def put(blob: ListedBlob) -> None:
        nonlocal done
        await put_back(store, backup, blob)
        done += 1
        progress("blobs", f"{done} of {manifest.blobs}")

    await each_of((blob for blob in read_list(backup / BLOB_LIST) if blob.state == "kept"), put)


def _keep_key(destination: Destination, backup: Path, manifest: Manifest) -> None:
    path = destination.folder / KEY_FILE
    if manifest.with_key and destination.secret_key is None and not path.exists():
        destination.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_file(path, (backup / KEY).read_bytes())
        flush(destination.folder)


async def _note(
    restoration: Restoration,
    trail: Trail | None,
    destination: Destination,
    backup: Path,
    manifest: Manifest,
) -> None:
    """In the anchors: the chains end earlier from now on, and rightly so. The next boot records an event."""
    if trail is None:
        return
    heads = await read_heads(restoration)
    anchors = AnchorFile(destination.folder, trail.key)
    if not anchors.belongs_here():
        anchors.lay_aside(destination.clock.now_ms())
    if not anchors.path.exists():
        for name in (EARLIER, FILE):
            if name in manifest.files:
                destination.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                shutil.copyfile(backup / name, destination.folder / name)
                (destination.folder / name).chmod(0o600)
    anchors.append(destination.clock.now_ms(), heads, heads, kind="restored", backup=manifest.id)
    await restoration.run(audit_sql.note_restored_from, backup=manifest.id)
