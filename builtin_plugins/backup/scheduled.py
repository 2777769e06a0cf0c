"""`guildhall backup now`: a backup to `SERVICE_BACKUP_TO`, rehearsed, and the oldest of them removed."""

import asyncio
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from builtin_plugins.backup.creation import BackupSource, make_backup
from builtin_plugins.backup.encryption import SUFFIX, is_sealed, seal_folder, unseal_folder
from builtin_plugins.backup.instance import StoredInstance
from builtin_plugins.backup.manifest import MANIFEST, BackupFault
from builtin_plugins.backup.schedule import KEEP, KEY, LAST, REHEARSE, TO
from guildhall_sdk.blobs import BlobReferences, BlobStore, BlobStoreKind
from guildhall_sdk.commands import CommandHost
from guildhall_sdk.engines.pools import Progress
from guildhall_sdk.services.server import InstanceFacts

_NAME = re.compile(r"backup-\d{8}T\d{6}Z(?:\.sealed)?")
_WORK = "backup-work"
#: What would lead a rehearsal to another place than its own.
_ELSEWHERE = ("SERVICE_BLOB_STORE", "SERVICE_DATABASE_DIRECT_URL", "SERVICE_DATABASE_REPLICA_URL")
_CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class MadeBackup:
    name: str
    place: str
    rehearsed: bool
    removed: int


async def back_up_now(host: CommandHost, progress: Progress) -> MadeBackup:
    """Makes one. Killed, it leaves none that passes for one; what it left the next removes."""
    place = host.setting(TO)
    if place is None:
        raise BackupFault("SERVICE_BACKUP_TO is not set: it says where backups are made")
    work = host.settings.data / _WORK
    with _alone(work):
        now_ms = host.clock.now_ms()
        name = f"backup-{datetime.fromtimestamp(now_ms / 1000, UTC):%Y%m%dT%H%M%SZ}"
        key = host.setting(KEY)
        target = _place_of(host, place)
        folder = work / name if key is not None or isinstance(target, InBucket) else Path(place) / name
        await _make(host, folder, progress)
        kept = name if key is None else name + SUFFIX
        if key is not None or isinstance(target, InBucket):
            packed = work / f"{kept}.packed"
            await asyncio.to_thread(_pack, folder, packed, key)
            await target.put(packed, kept)
            packed.unlink(missing_ok=True)
        await _note(host, kept, now_ms, rehearsed=False)
        rehearsed = False
        if host.setting(REHEARSE):
            progress("rehearsal", "restoring")
            async with target.fetched(kept, work) as found:
                await asyncio.to_thread(_rehearse, host, found, work / "scratch", key)
            rehearsed = True
            await _note(host, kept, now_ms, rehearsed=True)
        removed = await _prune(target, host.setting(KEEP))
    return MadeBackup(kept, place, rehearsed, removed)


async def _make(host: CommandHost, folder: Path, progress: Progress) -> None:
    storage = StoredInstance(host)
    async with storage.live() as instance, storage.blobs.opened() as store:
        source = BackupSource(
            instance=instance,
            store=store,
            references=host.plugins.declared(BlobReferences),
            loaded=[one.id for one in host.plugins.statuses() if one.status == "loaded"],
            clock=host.clock,
            version=host.version,
        )
        await make_backup(source, folder, progress)


@contextmanager
def _alone(work: Path) -> Iterator[None]:
    """Holds the folder of work, empty; raises where another one is being made."""
    work.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(work, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise BackupFault("another backup is being made; wait for its end") from None
    try:
        _empty(work)
        yield
    finally:
        _empty(work)
        os.close(lock)


def _empty(work: Path) -> None:
    for left in work.iterdir():
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)


def _pack(folder: Path, target: Path, key: bytes | None) -> None:
    if key is not None:
        seal_folder(folder, target, key)
    else:
        shutil.make_archive(str(target), "tar", folder)
        target.with_name(f"{target.name}.tar").rename(target)
    shutil.rmtree(folder)


class InFolder:
    """Backups in a folder: each a folder of its own, or an encrypted file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, packed: Path, name: str) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self._folder / f".{name}.draft"
        await asyncio.to_thread(shutil.copyfile, packed, draft)
        draft.chmod(0o600)
        await asyncio.to_thread(_flush, draft)
        draft.replace(self._folder / name)
        await asyncio.to_thread(_flush, self._folder)

    async def names(self) -> list[str]:
        found = self._folder.iterdir() if self._folder.is_dir() else ()
        return sorted(path.name for path in found if _NAME.fullmatch(path.name))

    async def remove(self, name: str) -> None:
        path = self._folder / name
        if path.is_dir():
            # Without its manifest it is no backup any more, should this be killed.
            (path / MANIFEST).unlink(missing_ok=True)
            await asyncio.to_thread(shutil.rmtree, path)
        else:
            path.unlink(missing_ok=True)

    @asynccontextmanager
    async def fetched(self, name: str, work: Path) -> AsyncIterator[Path]:
        yield self._folder / name


class InBucket:
    """Backups in an object store: each one object, in a namespace that is named like it."""

    def __init__(self, host: CommandHost, url: str) -> None:
        kinds = {one.name: one for one in host.plugins.declared(BlobStoreKind)}
        if "s3" not in kinds:
            raise BackupFault(f"no plugin that is loaded opens {url}; see `guildhall plugin list`")
        self._kind, self._data = kinds["s3"], host.settings.data
        address = urlsplit(url)
        prefix = address.path.strip("/")
        self._environment: Mapping[str, str] = {
            **{name: value for name, value in os.environ.items() if name.startswith("S3_")},
            "S3_BUCKET": address.netloc,
            "S3_PREFIX": f"{prefix}/" if prefix else "",
        }

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[BlobStore]:
        store = cast(BlobStore, await self._kind.open(self._data, self._environment))
        try:
            yield store
        finally:
            await store.close()

    async def put(self, packed: Path, name: str) -> None:
        async with self._opened() as store:
            await store.put(_namespace(name), _content(packed))

    async def names(self) -> list[str]:
        async with self._opened() as store:
            found = {blob.namespace async for blob in store.list()}
        return sorted(one for one in map(_name, found) if _NAME.fullmatch(one))

    async def remove(self, name: str) -> None:
        async with self._opened() as store:
            for sha256 in [blob.sha256 async for blob in store.list(_namespace(name))]:
                await store.delete(_namespace(name), sha256)

    @asynccontextmanager
    async def fetched(self, name: str, work: Path) -> AsyncIterator[Path]:
        async with self._opened() as store:
            digests = [blob.sha256 async for blob in store.list(_namespace(name))]
            if len(digests) != 1:
                raise BackupFault(f"there is no backup {name} there")
            path = work / name
            digest = hashlib.sha256()
            with path.open("wb") as file:
                async for chunk in store.get(_namespace(name), digests[0]):
                    digest.update(chunk)
                    await asyncio.to_thread(file.write, chunk)
        if digest.hexdigest() != digests[0]:
            raise BackupFault(f"the backup {name} is damaged")
        yield path


def _namespace(name: str) -> str:
    return name.replace(".", "_")


def _name(namespace: str) -> str:
    return namespace.replace("_", ".")


async def _content(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while chunk := await asyncio.to_thread(file.read, _CHUNK):
            yield chunk


def _place_of(host: CommandHost, place: str) -> InFolder | InBucket:
    return InBucket(host, place) if place.startswith("s3://") else InFolder(Path(place))


@asynccontextmanager
async def opened_backup(host: CommandHost, given: str) -> AsyncIterator[Path]:
    """Gives the folder of a backup: of a folder, of an encrypted file, or of `s3://bucket/prefix/NAME`."""
    if not given.startswith("s3://") and not await asyncio.to_thread(Path(given).is_file):
        yield Path(given)
        return
    host.settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=host.settings.data, prefix=".opened-backup-") as scratch:
        work = Path(scratch)
        if given.startswith("s3://"):
            place, _, name = given.rpartition("/")
            async with InBucket(host, place).fetched(name, work) as found:
                await asyncio.to_thread(_unpack, found, work / "folder", host.setting(KEY))
        else:
            await asyncio.to_thread(_unpack, Path(given), work / "folder", host.setting(KEY))
        yield work / "folder"


def _unpack(path: Path, target: Path, key: bytes | None) -> None:
    if is_sealed(path):
        target.mkdir(0o700)
        unseal_folder(path, target, key)
    elif path.suffix == "" and path.is_file():
        shutil.unpack_archive(path, target, "tar", filter="data")
    else:
        raise BackupFault(f"{path} is no backup")


def _rehearse(host: CommandHost, backup: Path, scratch: Path, key: bytes | None) -> None:
    """Restores a backup into a folder of its own, on SQLite, which takes those of either engine."""
    scratch.mkdir(0o700)
    environment = {
        **os.environ,
        "SERVICE_DATA": str(scratch),
        "SERVICE_DATABASE_URL": f"sqlite:///{scratch}/guildhall.db",
    }
    for name in _ELSEWHERE:
        environment.pop(name, None)
    own_key = host.settings.data / "secret.key"
    if own_key.exists():
        shutil.copyfile(own_key, scratch / "secret.key")
        (scratch / "secret.key").chmod(0o600)
    try:
        for words in (["restore", str(backup)], ["audit", "verify"]):
            done = subprocess.run(  # noqa: S603
                [sys.executable, "-m", "kernel.cli", *words],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                said = (done.stderr or done.stdout).strip().splitlines()
                raise BackupFault(f"made, but its rehearsal failed: {said[-1] if said else words}")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


async def _note(host: CommandHost, name: str, at_ms: int, *, rehearsed: bool) -> None:
    facts = host.service(InstanceFacts)
    async with StoredInstance(host).tables.opened() as data, data.write() as writer:
        await facts.set(writer, LAST, json.dumps({"name": name, "at_ms": at_ms, "rehearsed": rehearsed}))


async def _prune(target: InFolder | InBucket, keep: int) -> int:
    """Removes the oldest; only what was made under such a name."""
    old = (await target.names())[:-keep]
    for name in old:
        await target.remove(name)
    return len(old)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
