"""The blob store that the settings name, opened."""

import os
from collections.abc import Mapping

from guildhall_sdk import BlobStore, BlobStoreKind
from kernel.config import Settings
from kernel.faults import BootRefused


async def open_blob_store(declared: Mapping[str, BlobStoreKind], settings: Settings) -> BlobStore:
    kind = declared.get(settings.blob_store)
    if kind is None:
        known = ", ".join(sorted(declared)) or "none"
        raise BootRefused(
            f"SERVICE_BLOB_STORE: no plugin brings a store named {settings.blob_store}; there is {known}"
        )
    prefix = f"{kind.name.upper().replace('-', '_')}_"
    environment = {name: value for name, value in os.environ.items() if name.startswith(prefix)}
    return await kind.open(settings.data, environment)
