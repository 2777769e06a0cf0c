"""A server in a process of its own, to be measured or killed: says where it listens, and serves."""

import asyncio
import json
import os
import sys
from dataclasses import replace
from importlib.metadata import entry_points

from builtin_plugins import repo, s3, search
from kernel import boot
from kernel.config import Settings
from kernel.http.listener import bound_socket, listen
from kernel.plugins.discovery import given


async def serve():
    installed = {entry.value for entry in entry_points(group="guildhall.plugins")}
    extra = [plugin for plugin in (search, repo, s3) if plugin.__name__ not in installed]
    boot.given = lambda module: replace(given(module), source="builtin")
    server = boot.Server(Settings.from_environment(os.environ), extra_plugins=extra)
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
