"""A blob store in any S3-compatible object store: `SERVICE_BLOB_STORE=s3`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.s3_store.settings import SETTINGS, read_settings
from guildhall_sdk import Plugin, Setting, hookimpl
from guildhall_sdk.blobs import BlobBackend, BlobStoreKind

PLUGIN = Plugin(
    id="s3-store",
    name="S3 store",
    version="0.1.0",
    description="Keeps file contents in any S3-compatible object store.",
)


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return SETTINGS


@hookimpl
def declare_blob_stores() -> Sequence[BlobStoreKind]:
    return [BlobStoreKind("s3", open_store)]


async def open_store(data: Path, environment: Mapping[str, str]) -> BlobBackend:
    """Imports the client only here, so that a server with another store pays nothing for this one."""
    from builtin_plugins.s3_store.bucket import Bucket
    from builtin_plugins.s3_store.store import ObjectStore

    settings = read_settings(environment)
    store = ObjectStore(Bucket(settings), settings.prefix, data)
    try:
        await store.prove_reachable(settings)
    except BaseException:
        await store.close()
        raise
    return store
