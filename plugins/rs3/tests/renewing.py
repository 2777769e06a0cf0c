"""Stores every blob anew that lies as earlier releases stored it, and says each one only when it is done."""

import asyncio
import sys
from pathlib import Path

from guildhall_testing.servers import load_directory_plugin

PLUGIN = Path(__file__).resolve().parents[1]


async def main():
    plugin = load_directory_plugin(PLUGIN)
    (kind,) = plugin.declare_blob_stores()
    store = await kind.open(Path(sys.argv[1]), {})

    async def renew(blob):
        await store.renew(blob.namespace, blob.sha256)
        sys.stdout.write(f"{blob.sha256}\n")
        sys.stdout.flush()

    await asyncio.gather(*[renew(blob) async for blob in store.list()])
    await asyncio.Event().wait()


asyncio.run(main())
