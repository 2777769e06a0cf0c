"""A blob store in any S3-compatible object store: `SERVICE_BLOB_STORE=s3`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from guildhall_sdk import BlobStore, BlobStoreKind, Plugin, hookimpl
from guildhall_store_s3.bucket import Bucket
from guildhall_store_s3.settings import read_settings
from guildhall_store_s3.store import ObjectStore

PLUGIN = Plugin(
    id="store-s3",
    name="S3 store",
    version="0.1.0",
    description="Keeps file contents in any S3-compatible object store.",
)


async def open_store(data: Path, environment: Mapping[str, str]) -> BlobStore:
    settings = read_settings(environment)
    store = ObjectStore(Bucket(settings), settings.prefix, data)
    try:
        await store.prove_reachable(settings)
    except BaseException:
        await store.close()
        raise
    return store


@hookimpl
def declare_blob_stores() -> Sequence[BlobStoreKind]:
    return [BlobStoreKind("s3", open_store)]
