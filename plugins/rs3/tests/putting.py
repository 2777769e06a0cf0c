"""Puts blobs without end, from eight hands at once, and says each one only when it is kept."""

import asyncio
import os
import random
import sys
from pathlib import Path

from guildhall_testing.servers import load_directory_plugin

PLUGIN = Path(__file__).resolve().parents[1]


async def chunks(size):
    while size > 0:
        yield os.urandom(min(size, 50_000))
        size -= 50_000


async def put_without_end(store):
    while True:
        blob = await store.put("org_a", chunks(random.choice([0, 10, 4096, 300_000, 3_000_000])))
        sys.stdout.write(f"{blob.sha256} {blob.size}\n")
        sys.stdout.flush()


async def main():
    plugin = load_directory_plugin(PLUGIN)
    (kind,) = plugin.declare_blob_stores()
    store = await kind.open(Path(sys.argv[1]), {})
    await asyncio.gather(*(put_without_end(store) for _ in range(8)))


asyncio.run(main())
