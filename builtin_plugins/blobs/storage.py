"""The blob store of an instance whose server need not run, as commands open, check and mark it."""

import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from builtin_plugins.blobs.guard import MOVE, MarkedStore, StoreGuard, identity_fact, new_mark
from builtin_plugins.blobs.stores import open_blob_store
from guildhall_sdk import Host
from guildhall_sdk.blobs import BlobReferences, BlobStorage, BlobStore, BlobStoreKind
from guildhall_sdk.commands import CommandHost
from guildhall_sdk.data import Data
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.server import InstanceFacts, InstanceInspection


class StoredBlobs:
    """Implements the SDK's `BlobStorage`."""

    def __init__(self, host: CommandHost | Host) -> None:
        self._clock = host.clock
        self._settings = host.settings
        self._plugins = host.service(Plugins)
        self._facts = host.service(InstanceFacts)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[BlobStore]:
        kinds = {kind.name: kind for kind in self._plugins.declared(BlobStoreKind)}
        store = await open_blob_store(kinds, self._settings)
        try:
            yield MarkedStore(store)
        finally:
            await store.close()

    async def check(self, data: Data) -> None:
        async with self.opened() as store:
            await self._guard(data).check(store)

    async def adopt(self, data: Data) -> None:
        async with self.opened() as store:
            await self._guard(data).adopt(store, instead=True)

    async def mark(self, store: BlobStore) -> tuple[str, str]:
        return identity_fact(self._settings.blob_store, await new_mark(store))

    def deletes_held_back(self, data: Data, copy_id: str) -> AbstractAsyncContextManager[None]:
        return self._guard(data).deletes_held_back(copy_id)

    def _guard(self, data: Data) -> StoreGuard:
        references = self._plugins.declared(BlobReferences)
        return StoreGuard(self._facts, data, self._clock, self._settings.blob_store, references)


async def check_blobs(host: CommandHost) -> str:
    """Checks the blob store as a server opens it, which makes its folder: not before a server has run."""
    storage = host.service(BlobStorage)
    async with AsyncExitStack() as opened:
        try:
            data = await opened.enter_async_context(host.service(InstanceInspection).database())
        except OperatorError:
            return "not looked at without its database"
        await storage.check(data)
        async with data.read() as reader:
            found = await host.service(InstanceFacts).find(reader, MOVE)
    if found is None:
        return f"ok ({host.settings.blob_store})"
    origin, to = (json.loads(found)[name] for name in ("from", "to"))
    return (
        f"ok ({host.settings.blob_store}); a move from {origin} to {to} has not ended: start the servers "
        f"with SERVICE_BLOB_STORE={to}, then run with it: guildhall blobs move --to {to}"
    )
