"""`guildhall scrub`: is every blob still what its digest says, and is every one there that is needed?"""

import argparse
import hashlib
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from builtin_plugins.backup.blobs import Address, referred
from builtin_plugins.backup.inline_blobs import inline_blobs
from guildhall_sdk import (
    BlobCorrupt,
    BlobMissing,
    BlobReferences,
    BlobsNotListed,
    BlobStore,
    Command,
    Data,
    KeptBlob,
    OpenedHost,
)
from guildhall_sdk.services import InstanceStorage

_YOUNG_MS = 3600 * 1000
_PROGRESS_BYTES = 64 * 1024 * 1024
_PROGRESS_BLOBS = 1000


@dataclass(slots=True)
class Findings:
    """The findings of a scrub; `orphans` is None where nobody could say what is in use.

    `unlisted` says why the store was not looked through, but for what is in use.
    """

    blobs: int = 0
    size: int = 0
    leftovers: int = 0
    unlisted: str | None = None
    corrupt: list[Address] = field(default_factory=list)
    missing: list[Address] = field(default_factory=list)
    orphans: list[KeptBlob] | None = None

    @property
    def sound(self) -> bool:
        return not self.corrupt and not self.missing


async def run(_options: argparse.Namespace, host: OpenedHost) -> int:
    async with host.service(InstanceStorage).blobs() as store:
        references = host.plugins.declared(BlobReferences)
        found = await scrub(store, host.data, references, host.clock.now_ms())
    _report(found)
    return 0 if found.sound else 1


async def scrub(store: BlobStore, data: Data, references: Sequence[BlobReferences], now_ms: int) -> Findings:
    """Works beside a running server: what comes or goes meanwhile is neither missing nor an orphan.

    A blob is put before the row that needs it is committed, and leaves after that row.
    """
    found = Findings(leftovers=await store.sweep())
    before = await _needed(data, references)
    stored: dict[Address, KeptBlob] = {}
    try:
        listed = store.list()
    except BlobsNotListed as reason:
        found.unlisted = str(reason)
        listed = _those_needed(store, before)
    async for blob in listed:
        stored[blob.namespace, blob.sha256] = blob
        if not await _is_sound(store, blob):
            found.corrupt.append((blob.namespace, blob.sha256))
        found.blobs += 1
        found.size += blob.size
        _show_progress(found, blob)
    after = await _needed(data, references)
    for namespace, sha256 in sorted((before & after) - stored.keys()):
        if await store.stat(namespace, sha256) is None:
            found.missing.append((namespace, sha256))
    if references and found.unlisted is None:
        unneeded = (stored[address] for address in sorted(stored.keys() - before - after))
        found.orphans = [blob for blob in unneeded if blob.kept_at_ms < now_ms - _YOUNG_MS]
    await _scrub_rows(data, references, found)
    return found


async def _those_needed(store: BlobStore, needed: set[Address]) -> AsyncGenerator[KeptBlob, None]:
    for namespace, sha256 in sorted(needed):
        size = await store.stat(namespace, sha256)
        if size is not None:
            yield KeptBlob(namespace, sha256, size, 0)


async def _scrub_rows(data: Data, references: Sequence[BlobReferences], found: Findings) -> None:
    """Checks the blobs in the database: each comes and goes with what refers to it, however young it is."""
    async for row in inline_blobs(data.read, references):
        blob = KeptBlob(row.namespace, row.sha256, row.size, 0)
        if not row.sound:
            found.corrupt.append((blob.namespace, blob.sha256))
        if not row.used and found.orphans is not None:
            found.orphans.append(blob)
        found.blobs += 1
        found.size += blob.size
        _show_progress(found, blob)


async def _is_sound(store: BlobStore, blob: KeptBlob) -> bool:
    """Checks a blob by its digest over all of it; one that was just deleted is sound."""
    digest = hashlib.sha256()
    try:
        async with aclosing(store.get(blob.namespace, blob.sha256)) as chunks:
            async for chunk in chunks:
                digest.update(chunk)
    except BlobCorrupt:
        return False
    except BlobMissing:
        return True
    return digest.hexdigest() == blob.sha256


async def _needed(data: Data, references: Sequence[BlobReferences]) -> set[Address]:
    return {address async for address in referred(data.read, references)}


def _show_progress(found: Findings, last: KeptBlob) -> None:
    crossed = found.size // _PROGRESS_BYTES > (found.size - last.size) // _PROGRESS_BYTES
    if sys.stderr.isatty() and (crossed or found.blobs % _PROGRESS_BLOBS == 0):
        print(f"\r{found.blobs} blobs, {_mib(found.size)} read", end="", file=sys.stderr, flush=True)


def _report(found: Findings) -> None:
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    for namespace, sha256 in found.corrupt:
        print(f"corrupt  {namespace} {sha256}")
    for namespace, sha256 in found.missing:
        print(f"missing  {namespace} {sha256}")
    for blob in found.orphans or ():
        print(f"unused   {blob.namespace} {blob.sha256} {blob.size} bytes")
    state = "all sound" if found.sound else f"{len(found.corrupt)} corrupt, {len(found.missing)} missing"
    if found.unlisted is not None:
        unused = "unused ones are not known"
        print(f"note: {found.unlisted}: only what is in use was read; nothing unused or left over is found")
    elif found.orphans is None:
        unused = "no plugin says which are in use"
    else:
        unused = f"{len(found.orphans)} unused, {_mib(sum(blob.size for blob in found.orphans))}"
    print(f"{found.blobs} blobs, {_mib(found.size)}: {state}; {unused}; {found.leftovers} leftovers removed")


def _mib(size: int) -> str:
    return f"{size / 1024 / 1024:.1f} MiB"


COMMAND = Command(name="scrub", help="read every blob and compare it with its digest", opened=run)
