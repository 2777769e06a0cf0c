"""Reads event streams: `stream_client.py PORT`, a process of its own on the standard library.

Each line on stdin is JSON: `{"request": text, "streams": n}` opens so many at once and reads them to their
ends; with `"hold": true` it opens them a few at a time, and keeps on reading after the first delta of each;
`{"release": true}` closes those. Each is answered by a line: how many deltas came, the median time to the
first of a stream, and the time in all, in seconds.
"""

import asyncio
import json
import sys
import time
from contextlib import suppress
from statistics import median

_DELTA = b"event: delta"
_END = b"0\r\n\r\n"
_AT_ONCE = 20
_PATIENCE_SECONDS = 120.0


class Stream:
    """One stream on a connection of its own."""

    def __init__(self) -> None:
        self.deltas = 0
        self.first_after = 0.0
        self.begun = asyncio.Event()

    async def read(self, port: int, request: bytes) -> None:
        began = time.perf_counter()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(request)
            rest = b""
            while not rest.endswith(_END):
                chunk = await reader.read(65_536)
                if not chunk:
                    sys.exit(f"the server ended a stream after {self.deltas} deltas: {rest[-300:]!r}")
                if not self.deltas and b"HTTP/1.1 " in chunk and b"HTTP/1.1 200" not in chunk:
                    sys.exit(f"the server answered {chunk[:12]!r} {chunk[-300:]!r}")
                found = (rest + chunk).count(_DELTA)
                if found and not self.deltas:
                    self.first_after = time.perf_counter() - began
                    self.begun.set()
                self.deltas += found
                # What may be the beginning of another is looked at again.
                rest = (rest + chunk)[-(len(_DELTA) - 1) :]
        finally:
            writer.close()


async def main() -> None:
    port = int(sys.argv[1])
    held: list[asyncio.Task[None]] = []
    for line in iter(sys.stdin.readline, ""):
        wanted = json.loads(line)
        if "release" in wanted:
            for task in held:
                task.cancel()
            await asyncio.gather(*held, return_exceptions=True)
            held = []
            print(0, 0, 0, flush=True)
            continue
        began = time.perf_counter()
        streams = [Stream() for _ in range(wanted["streams"])]
        request = wanted["request"].encode("ascii")
        async with asyncio.timeout(_PATIENCE_SECONDS):
            if wanted.get("hold"):
                for some in (streams[at : at + _AT_ONCE] for at in range(0, len(streams), _AT_ONCE)):
                    held += [asyncio.create_task(stream.read(port, request)) for stream in some]
                    await asyncio.gather(*(stream.begun.wait() for stream in some))
            else:
                await asyncio.gather(*(stream.read(port, request) for stream in streams))
        took = time.perf_counter() - began
        deltas = sum(stream.deltas for stream in streams)
        print(deltas, median(stream.first_after for stream in streams), took, flush=True)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main())
