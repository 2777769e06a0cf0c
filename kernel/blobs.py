"""The blob store that the settings name, opened."""

import os
from collections.abc import Mapping
from contextlib import suppress

from guildhall_sdk import BlobStore, BlobStoreKind, BlobStoreRefused, BlobStoreUnavailable
from kernel.config import Settings
from kernel.faults import BootRefused


async def open_swept_blob_store(declared: Mapping[str, BlobStoreKind], settings: Settings) -> BlobStore:
    """What broken puts left is gone then; what cannot be swept now, the next boot or a scrub sweeps."""
    store = await open_blob_store(declared, settings)
    with suppress(BlobStoreUnavailable):
        await store.sweep()
    return store


async def open_blob_store(declared: Mapping[str, BlobStoreKind], settings: Settings) -> BlobStore:
    kind = declared.get(settings.blob_store)
    if kind is None:
        known = ", ".join(sorted(declared)) or "none"
        raise BootRefused(
            f"SERVICE_BLOB_STORE: no plugin brings a store named {settings.blob_store}; there is {known}"
        )
    prefix = f"{kind.name.upper().replace('-', '_')}_"
    environment = {name: value for name, value in os.environ.items() if name.startswith(prefix)}
    try:
        return await kind.open(settings.data, environment)
    except BlobStoreRefused as refusal:
        raise BootRefused(f"SERVICE_BLOB_STORE: the store {kind.name} cannot be opened: {refusal}") from None
