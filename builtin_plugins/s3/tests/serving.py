"""A server in a process of its own, to be measured or killed: says where it listens, and serves."""

import asyncio
import json
import os
import sys

from kernel.boot import Server
from kernel.config import Settings
from kernel.listening import bound_socket, listen


async def serve():
    server = Server(Settings.from_environment(os.environ))
    await server.start()
    listeners = {"main": (bound_socket("127.0.0.1:0"), server.app)}
    for name, (_, app) in server.own_listeners.items():
        listeners[name] = (bound_socket("127.0.0.1:0"), app)
    ports = {name: listener.getsockname()[1] for name, (listener, _) in listeners.items()}
    sys.stdout.write(json.dumps(ports) + "\n")
    sys.stdout.flush()
    await asyncio.gather(*(listen(app, listener, asyncio.Event()) for listener, app in listeners.values()))


if __name__ == "__main__":
    asyncio.run(serve())
