"""Servers without a hall: on settings of a test's own, in this process."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from guildhall_sdk import Clock
from kernel.boot import Server
from kernel.config import Settings
from kernel.listening import bound_socket, listen
from kernel.plugins.discovery import directory
from kernel.secrets.keyfile import KEY_FILE


def settings_from(environ: Mapping[str, str]) -> Settings:
    """Reads `SERVICE_*` names and their text as a server does."""
    return Settings.from_environment(environ)


def secret_key_in(data: Path) -> str:
    """Returns the key that a server has made in its folder."""
    return (data / KEY_FILE).read_text("utf-8").strip()


def load_directory_plugin(folder: Path) -> Any:
    """Returns the module of a plugin with a manifest, as a server loads it."""
    return directory(folder).load()[1]


@asynccontextmanager
async def running_server(
    settings: Settings, *, clock: Clock | None = None, plugins: Sequence[Any] = ()
) -> AsyncIterator[Server]:
    """Yields a server that has started and listens nowhere, and stops it; `plugins` are its own."""
    server = Server(settings, clock=clock, extra_plugins=plugins)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


@asynccontextmanager
async def listening(server: Server) -> AsyncIterator[dict[str, str]]:
    """Yields where a server listens: `main`, and each mount that listens for itself by its name."""
    stopping = asyncio.Event()
    addresses: dict[str, str] = {}
    tasks: list[asyncio.Task[None]] = []
    for name, app in {"main": server.app, **server.own_listeners}.items():
        listener = bound_socket("127.0.0.1:0")
        addresses[name] = f"http://127.0.0.1:{listener.getsockname()[1]}"
        tasks.append(asyncio.create_task(listen(app, listener, stopping)))
    try:
        yield addresses
    finally:
        stopping.set()
        await asyncio.gather(*tasks)
