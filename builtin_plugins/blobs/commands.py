"""`guildhall blobs move`."""

import argparse
import json
import sys
import time
from contextlib import AsyncExitStack
from dataclasses import replace

from builtin_plugins.blobs.guard import MOVE
from builtin_plugins.blobs.moving import BlobMove, MovedBlobs
from builtin_plugins.blobs.stores import open_blob_store
from guildhall_sdk.blobs import BlobReferences, BlobStorage, BlobStore, BlobStoreKind
from guildhall_sdk.commands import OpenedHost
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.services.server import InstanceFacts

_SAY_SECONDS = 5.0


class _Lines:
    """Says what is wrong with a blob at once, and every few seconds how far the move is."""

    def __init__(self) -> None:
        self._said_at = time.monotonic()

    def __call__(self, what: str, state: str) -> None:
        if what != "blobs":
            print(f"{what:<8} {state}", flush=True)
        elif time.monotonic() - self._said_at >= _SAY_SECONDS:
            self._said_at = time.monotonic()
            print(f"blobs: {state}", file=sys.stderr, flush=True)


async def run_move(options: argparse.Namespace, host: OpenedHost) -> int:
    to, used = options.to, host.settings.blob_store
    kinds = {kind.name: kind for kind in host.plugins.declared(BlobStoreKind)}
    if to not in kinds:
        raise OperatorError(f"no plugin brings a store named {to}; there is {', '.join(sorted(kinds))}")
    facts = host.service(InstanceFacts)
    async with host.data.read() as reader:
        begun = json.loads(await facts.find(reader, MOVE) or "{}")
    if to == used and begun.get("to") != to:
        raise OperatorError(f"the file contents are in {to} already; nothing was moved")
    await host.service(BlobStorage).check(host.data)
    origin = begun["from"] if to == used else used
    async with AsyncExitStack() as opened:
        stores = list[BlobStore]()
        for name in (origin, to):
            stores.append(await open_blob_store(kinds, replace(host.settings, blob_store=name)))
            opened.push_async_callback(stores[-1].close)
        async with host.data.write() as writer:
            await facts.set(writer, MOVE, json.dumps({"from": origin, "to": to}))
        references = host.plugins.declared(BlobReferences)
        moved = await BlobMove(stores[0], stores[1], host.data, references, _Lines()).run()
    _report(moved, origin, to)
    if moved.lacking:
        return 1
    if to == used:
        async with host.data.write() as writer:
            await facts.remove(writer, MOVE)
        print(f"nothing is missing in {to}; what is in {origin} is not used any more")
    else:
        print(f"all of this pass is in {to}: stop every server, and start them with SERVICE_BLOB_STORE={to};")
        print("then run the same command with it once more, for what was written meanwhile")
    return 0


def _report(moved: MovedBlobs, origin: str, to: str) -> None:
    size = f"{moved.size / 1024 / 1024:.1f} MiB"
    print(f"{moved.copied} blobs copied from {origin} to {to}, {size}; {moved.there} were there")
    if moved.lacking:
        print(f"{moved.lacking} blobs are missing or corrupt in {origin}, and not in {to}")
