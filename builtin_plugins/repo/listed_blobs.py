"""What a blob store keeps, as far as it can tell."""

import logging
from collections.abc import AsyncIterator

from guildhall_sdk import BlobsNotListed, BlobStore, KeptBlob

_log = logging.getLogger("guildhall.repo")


async def listed(store: BlobStore) -> AsyncIterator[KeptBlob]:
    """Yields every blob of the store; where it cannot list them none, and a line in the log."""
    try:
        blobs = store.list()
    except BlobsNotListed as reason:
        _log.warning("blobs.not_swept", extra={"fields": {"reason": str(reason)}})
        return
    async for blob in blobs:
        yield blob
