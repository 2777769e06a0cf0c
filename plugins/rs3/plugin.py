"""The default blob store: files in the data folder, named by their SHA-256."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from guildhall_sdk import hookimpl
from guildhall_sdk.blobs import BlobStore, BlobStoreKind, BlobStoreRefused

from .store import FileStore


async def open_store(data: Path, _environment: Mapping[str, str]) -> BlobStore:
    try:
        return FileStore(data / "blobs")
    except OSError as error:
        raise BlobStoreRefused(f"the folder {data / 'blobs'} cannot be used: {error.strerror}") from error


@hookimpl
def declare_blob_stores() -> Sequence[BlobStoreKind]:
    return [BlobStoreKind("rs3", open_store)]
