"""A server in a process of its own, to be measured or killed: says where it listens, and serves."""

import asyncio
import json
import os
import sys

from guildhall_testing.servers import listening, running_server, settings_from


async def serve():
    async with running_server(settings_from(os.environ)) as server, listening(server) as addresses:
        sys.stdout.write(json.dumps(addresses) + "\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve())
