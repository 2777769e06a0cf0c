"""Blobs: the stores that can hold them, who refers to them, and the one store that a server opens."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from builtin_plugins.blobs.guard import GuardedStore, StoreGuard
from builtin_plugins.blobs.storage import StoredBlobs, check_blobs
from builtin_plugins.blobs.stores import open_swept_blob_store, run_sweeps
from guildhall_sdk import Command, Host, Plugin, hookimpl
from guildhall_sdk.blobs import BlobReferences, BlobStorage, BlobStore, BlobStoreKind
from guildhall_sdk.commands import HealthCheck, OpenedHost
from guildhall_sdk.hooks import declares
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.server import InstanceFacts

PLUGIN = Plugin(
    id="blobs",
    name="Blobs",
    version="0.1.0",
    description="Where the bytes of files are kept.",
    essential=True,
)


class BlobHooks(Protocol):
    """The hooks of the plugin `blobs`."""

    @declares(BlobStoreKind, label="blob store", name="name")
    def declare_blob_stores(self) -> Sequence[BlobStoreKind]:
        """Declares blob stores, of which `SERVICE_BLOB_STORE` names one."""

    @declares(BlobReferences, label="blob references")
    def declare_blob_references(self) -> Sequence[BlobReferences]:
        """Declares statements that list the blobs its rows refer to; `guildhall scrub` runs them."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (BlobHooks,)


@hookimpl
def declare_checks() -> Sequence[HealthCheck]:
    return (HealthCheck(name="blobs", order=60, run=check_blobs),)


@hookimpl
def declare_commands() -> Sequence[Command]:
    return (
        Command(
            name="blobs move",
            help="copy the file contents into another store; the server may run",
            opened=_move,
            arguments=_add_move_arguments,
        ),
    )


def _add_move_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--to", required=True, metavar="STORE", help="rs3, s3, or one that a plugin brings")


async def _move(options: argparse.Namespace, host: OpenedHost) -> int:
    from builtin_plugins.blobs.commands import run_move  # a server does not run it

    return await run_move(options, host)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {BlobStore: _open_store, BlobStorage: StoredBlobs}


async def _open_store(host: Host) -> GuardedStore:
    """Opens the store that the settings name, once it is known to be this instance's own."""
    plugins, kind = host.service(Plugins), host.settings.blob_store
    kinds = {one.name: one for one in plugins.declared(BlobStoreKind)}
    references = plugins.declared(BlobReferences)
    guard = StoreGuard(host.service(InstanceFacts), host.data, host.clock, kind, references)
    store = GuardedStore(await open_swept_blob_store(kinds, host.settings), guard)
    try:
        await guard.identify(store)
    except BaseException:
        await store.close()
        raise
    host.background("sweeping broken uploads", partial(run_sweeps, store))
    return store


@hookimpl
async def on_stop(host: Host) -> None:
    await host.service(BlobStore).close()
