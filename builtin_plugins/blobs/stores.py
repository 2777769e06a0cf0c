"""The blob store that the settings name, opened."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

from guildhall_sdk.blobs import (
    Blob,
    BlobBackend,
    BlobsNotListed,
    BlobStore,
    BlobStoreKind,
    BlobStoreRefused,
    BlobStoreUnavailable,
    Hasher,
    StoredBlob,
)
from guildhall_sdk.context import PublicSettings
from guildhall_sdk.errors import OperatorError

SWEEP_SECONDS = 3600.0
_REQUIRED = ("put", "get", "delete", "stat")
_OPTIONAL = ("free_bytes", "list", "list_after", "renew", "sweep", "close")


class StoreRefused(OperatorError):
    """The reason why there is no blob store, and so no server, in one line for the operator."""


async def open_swept_blob_store(declared: Mapping[str, BlobStoreKind], settings: PublicSettings) -> BlobStore:
    """Opens the blob store, and removes what broken puts left behind.

    What cannot be swept now is swept within the hour.
    """
    store = await open_blob_store(declared, settings)
    with suppress(BlobStoreUnavailable):
        await store.sweep()
    return store


async def run_sweeps(store: BlobStore) -> None:
    """Removes every hour what broken puts of any process left behind, until it is cancelled."""
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        with suppress(BlobStoreUnavailable):
            await store.sweep()


async def open_blob_store(declared: Mapping[str, BlobStoreKind], settings: PublicSettings) -> BlobStore:
    """Opens the store that the settings name, with what its backend lacks; raises `StoreRefused`."""
    kind = declared.get(settings.blob_store)
    if kind is None:
        known = ", ".join(sorted(declared)) or "none"
        raise StoreRefused(
            f"SERVICE_BLOB_STORE: no plugin brings a store named {settings.blob_store}; there is {known}"
        )
    prefix = f"{kind.name.upper().replace('-', '_')}_"
    environment = {name: value for name, value in os.environ.items() if name.startswith(prefix)}
    try:
        backend = await kind.open(settings.data, environment)
    except BlobStoreRefused as refusal:
        raise StoreRefused(f"SERVICE_BLOB_STORE: the store {kind.name} cannot be opened: {refusal}") from None
    lacking = [name for name in _REQUIRED if not callable(getattr(backend, name, None))]
    if lacking:
        raise StoreRefused(f"SERVICE_BLOB_STORE: the store {kind.name} has no {', '.join(lacking)}")
    if all(callable(getattr(backend, name, None)) for name in _OPTIONAL):
        return cast(BlobStore, backend)
    return CompletedStore(backend, kind.name)


class CompletedStore:
    """A backend, and for what it does not do itself: it lists, renews and sweeps nothing."""

    def __init__(self, backend: BlobBackend, name: str = "") -> None:
        self._backend = backend
        self._name = name

    async def put(
        self,
        namespace: str,
        chunks: AsyncIterator[bytes],
        *,
        also: Sequence[Hasher] = (),
        check: Callable[[Blob], None] | None = None,
    ) -> Blob:
        return await self._backend.put(namespace, chunks, also=also, check=check)

    def get(
        self, namespace: str, sha256: str, start: int = 0, end: int | None = None
    ) -> AsyncGenerator[bytes, None]:
        return self._backend.get(namespace, sha256, start, end)

    async def delete(self, namespace: str, sha256: str) -> None:
        await self._backend.delete(namespace, sha256)

    async def stat(self, namespace: str, sha256: str) -> int | None:
        return await self._backend.stat(namespace, sha256)

    async def free_bytes(self) -> int | None:
        own = self._own("free_bytes")
        return None if own is None else cast(int | None, await own())

    def list(self, namespace: str | None = None) -> AsyncGenerator[StoredBlob, None]:
        own = self._own("list")
        if own is None:
            raise BlobsNotListed(f"the store {self._name} cannot list what it keeps")
        return cast(AsyncGenerator[StoredBlob, None], own(namespace))

    def list_after(self, namespace: str, sha256: str) -> AsyncGenerator[StoredBlob, None]:
        own = self._own("list_after")
        if own is None:
            return _in_order(self.list(), (namespace, sha256))
        return cast(AsyncGenerator[StoredBlob, None], own(namespace, sha256))

    async def renew(self, namespace: str, sha256: str) -> None:
        if (own := self._own("renew")) is not None:
            await own(namespace, sha256)

    async def sweep(self) -> int:
        own = self._own("sweep")
        return 0 if own is None else int(await own())

    async def close(self) -> None:
        if (own := self._own("close")) is not None:
            await own()

    def _own(self, name: str) -> Callable[..., Any] | None:
        return getattr(self._backend, name, None)


async def _in_order(
    blobs: AsyncGenerator[StoredBlob, None], after: tuple[str, str]
) -> AsyncGenerator[StoredBlob, None]:
    """Yields the blobs after an address, of a backend that lists them in no order; all are in memory."""
    found = [blob async for blob in blobs if (blob.namespace, blob.sha256) > after]
    for blob in sorted(found, key=lambda blob: (blob.namespace, blob.sha256)):
        yield blob
