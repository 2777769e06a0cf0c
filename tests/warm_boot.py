"""Boots once in the process that servers and commands are forked from, for what that imports and compiles.

Only that process imports this module, so that nobody else pays for it.
"""

import asyncio
import gc
from itertools import product
from tempfile import TemporaryDirectory

import builtin_plugins.postgresql.announcements
import builtin_plugins.postgresql.connect
import builtin_plugins.postgresql.pool
import builtin_plugins.postgresql.replica  # noqa: F401
import kernel.cli.command_hosts
import kernel.cli.command_line
import kernel.cli.serve
import kernel.listening  # noqa: F401
import libs.listener.listening  # noqa: F401
from kernel.boot import Server
from kernel.config import Settings
from tests.commands import admissions

for _url, _strict in product(("sqlite:///", "postgresql://"), (True, False)):
    admissions.of(Settings.from_environment({"SERVICE_DATABASE_URL": _url}), strict=_strict)


async def _boot(folder: str) -> None:
    server = Server(Settings.from_environment({"SERVICE_DATA": folder}))
    await server.start()
    await server.stop()


with TemporaryDirectory() as data:
    asyncio.run(_boot(data))

# No garbage collector of a fork looks at what is there by now.
gc.collect()
gc.freeze()
