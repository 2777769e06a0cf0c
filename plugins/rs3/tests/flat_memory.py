"""`python flat_memory.py <MiB>`: one blob of that size in and out; fails where memory grew by over 32 MiB."""

import asyncio
import hashlib
import sys
import tempfile
from pathlib import Path

from guildhall_testing.servers import load_directory_plugin

MIB = 1024 * 1024
ALLOWED = 32 * MIB
PLUGIN = Path(__file__).resolve().parents[1]


def resident():
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line)
    return int(line.split()[1]) * 1024


async def chunks(mib):
    for number in range(mib * 16):
        yield number.to_bytes(4, "big") * (MIB // 64)


async def main(mib):
    plugin = load_directory_plugin(PLUGIN)
    (kind,) = plugin.declare_blob_stores()
    with tempfile.TemporaryDirectory() as folder:
        store = await kind.open(Path(folder), {})
        async for _ in store.get("org_a", (await store.put("org_a", chunks(1))).sha256):
            pass
        before = resident()
        blob = await store.put("org_a", chunks(mib), also=[hashlib.md5(usedforsecurity=False)])
        size = sum([len(chunk) async for chunk in store.get("org_a", blob.sha256)])
        await store.close()
    grown = resident() - before
    sys.stdout.write(f"{size // MIB} MiB in and out: memory grew by {grown / MIB:.1f} MiB\n")
    return 0 if size == mib * MIB and grown <= ALLOWED else 1


sys.exit(asyncio.run(main(int(sys.argv[1]))))
