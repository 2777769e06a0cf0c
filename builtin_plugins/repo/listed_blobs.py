"""What a blob store keeps, as far as it can tell."""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

from guildhall_sdk.blobs import BlobsNotListed, BlobStore, KeptBlob

_log = logging.getLogger("guildhall.repo")


async def listed_after(store: BlobStore, namespace: str, sha256: str) -> AsyncGenerator[KeptBlob, None]:
    """Yields the blobs of the store after this one; where it cannot list them none, and a line in the log."""
    try:
        blobs = store.list_after(namespace, sha256)
    except BlobsNotListed as reason:
        _log.warning("blobs.not_swept", extra={"fields": {"reason": str(reason)}})
        return
    async with aclosing(blobs):
        async for blob in blobs:
            yield blob
