"""Blobs: the stores that can hold them, and who refers to them. The kernel opens the store."""

from collections.abc import Sequence
from typing import Any

from guildhall_sdk import Plugin, hookimpl
from guildhall_sdk.blobs import BlobHooks

PLUGIN = Plugin(
    id="blobs",
    name="Blobs",
    version="0.1.0",
    description="Where the bytes of files are kept.",
    essential=True,
)


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (BlobHooks,)
