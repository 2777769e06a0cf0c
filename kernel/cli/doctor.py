"""`guildhall doctor`: is everything this server needs in order?"""

import argparse
import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from guildhall_sdk.errors import OperatorError
from kernel.config import Settings

if TYPE_CHECKING:
    from guildhall_sdk.services.storage import BlobStorage
    from kernel.db import Database


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "doctor",
        help="check settings, plugins, keys, disk, database and blobs",
        description="Checks what a server needs, a row for each: settings, plugins, secret key, disk, "
        "database, blobs, replica, sandbox and event loop. It changes nothing, works beside a running "
        "server, and exits 1 where something is wrong.",
    )
    parser.add_argument(
        "--adopt-store",
        action="store_true",
        help="first take the blob store that is set up here for this instance's own, whatever it holds",
    )
    parser.set_defaults(run=run, judges_settings=True)


def run(options: argparse.Namespace, settings: Settings) -> int:
    return asyncio.run(_run(options, settings))


async def _run(options: argparse.Namespace, settings: Settings) -> int:
    if options.adopt_store:
        await _adopt_store(settings)
    return await _examine(settings)


async def _adopt_store(settings: Settings) -> None:
    from kernel.cli.opened import opened_instance

    async with opened_instance(settings) as instance:
        await _blob_storage(settings).adopt(instance.data)
    print(f"the store {settings.blob_store} that is set up here is this instance's own from now on")


async def _examine(settings: Settings) -> int:
    healthy = True
    for name, check in CHECKS.items():
        try:
            print(f"{name:11} {await check(settings)}")
        except OperatorError as error:
            healthy = False
            print(f"{name:11} {error}")
    return 0 if healthy else 1


async def _settings(settings: Settings) -> str:
    from kernel.cli.settings import report

    return report(settings, os.environ)


async def _plugins(settings: Settings) -> str:
    """Checks the plugins; one in quarantine is a fault, a blocked one is as it was wanted."""
    from kernel.cli.plugin_states import plugin_states
    from kernel.faults import CommandRefused

    found = await plugin_states(settings)
    loaded = sum(status.status == "loaded" for status in found.statuses)
    out = [f"{one.id} is {one.status}: {one.reason}" for one in found.statuses if one.status != "loaded"]
    stale = [f"{one.id} {one.reason}" for one in found.statuses if one.status == "loaded" and one.reason]
    line = "; ".join([f"{loaded} loaded", *out, *stale, *found.remarks])
    if any(status.status == "quarantined" for status in found.statuses):
        raise CommandRefused(line)
    return line


async def _secret_key(settings: Settings) -> str:
    """Checks the key, and that it opens the database, as far as that can be asked."""
    from guildhall_sdk.settings import is_placeholder
    from kernel.cli.opened import opened_database
    from kernel.clock import SystemClock
    from kernel.faults import CommandRefused
    from kernel.secrets import SealedVault, SecretKeyError, load_secret_key
    from libs.secret_values import guessable

    key = load_secret_key(settings.secret_key, settings.data)
    try:
        async with opened_database(settings) as data, data.read() as reader:
            await SealedVault(key, SystemClock()).keyring.load(reader)
    except SecretKeyError:
        raise
    except OperatorError:
        pass  # the row of the database says what is wrong with that
    if (fault := guessable(key.decode(), is_placeholder)) is not None:
        raise CommandRefused(
            f"{fault}; put the data keys under another: guildhall secrets rewrap NEW_KEY_FILE"
        )
    return "ok"


async def _database(settings: Settings) -> str:
    from kernel.cli.opened import opened_database

    async with opened_database(settings) as data:
        await data.ping()
        await data.check()
        await _check_schema(settings, data)
        if settings.database_direct_url is None:
            return f"ok ({data.engine.name})"
    await _through_pooler(settings)
    return f"ok ({data.engine.name}, through a pooler)"


async def _check_schema(settings: Settings, data: "Database") -> None:
    """Raises where another version made the tables; what is yet to be migrated a server migrates."""
    from kernel.cli.settings import admitted
    from kernel.db import MigrationSource, check_known, ledger_of
    from kernel.preparation import KERNEL_MIGRATIONS

    async with data.read() as reader:
        ledger = await ledger_of(reader, data.engine) or {}
    plugins = [MigrationSource(owner, folder) for owner, folder in admitted(settings).migrations()]
    check_known(ledger, [KERNEL_MIGRATIONS, *plugins], data.engine, all_owners=False)


async def _blobs(settings: Settings) -> str:
    """Checks the blob store as a server opens it, which makes its folder: not before a server has run."""
    from kernel.cli.opened import opened_database

    storage = _blob_storage(settings)
    async with contextlib.AsyncExitStack() as opened:
        try:
            data = await opened.enter_async_context(opened_database(settings))
        except OperatorError:
            return "not looked at without its database"
        await storage.check(data)
    return f"ok ({settings.blob_store})"


def _blob_storage(settings: Settings) -> "BlobStorage":
    from guildhall_sdk.services.storage import BlobStorage
    from kernel.cli.command_hosts import InstanceHost
    from kernel.cli.settings import admitted
    from kernel.plugins.setting_values import SettingValues

    return InstanceHost(admitted(settings), settings, SettingValues({}, {})).service(BlobStorage)


async def _through_pooler(settings: Settings) -> None:
    from dataclasses import replace

    from kernel.db import Database
    from kernel.plugins.engines import engine_of, server_options

    options = replace(server_options(settings), replica_url=None)
    pooled = Database(engine_of(settings), options)
    await pooled.connect()
    try:
        await pooled.ping()
    finally:
        await pooled.disconnect()


async def _disk(settings: Settings) -> str:
    """Checks the disk of the data folder, and of the database where it is a file somewhere else."""
    from kernel.db import Database
    from kernel.faults import CommandRefused
    from kernel.plugins.engines import command_options, engine_of
    from libs.disks import Disk, DiskTrouble

    folder = Database(engine_of(settings), command_options(settings)).folder
    disks = dict.fromkeys(Disk(one.absolute()) for one in (settings.data, folder) if one is not None)
    try:
        free = [(disk.folder, await asyncio.to_thread(disk.check)) for disk in disks]
    except DiskTrouble as trouble:
        raise CommandRefused(str(trouble)) from None
    return "; ".join(f"ok ({room // 2**20} MiB free at {folder})" for folder, room in free)


async def _sandbox(settings: Settings) -> str:
    """Checks the sandbox; a server without one runs, and does not do what would need it."""
    from libs.sandbox import measure

    found = await measure.measured()
    if found.tier != "C":
        return found.describe()
    without = "set SERVICE_REPO_UNCONFINED=on to read documents without it"
    return f"{found.describe()}; {measure.REMEDY}, or {without}"


async def _replica(settings: Settings) -> str:
    """Checks the replica; the server goes on without it, and the operator should know."""
    from kernel.plugins.engines import engine_of, server_options

    return await engine_of(settings).check_replica(server_options(settings))


async def _event_loop(settings: Settings) -> str:
    """Names the event loop that a server runs on; with either it serves."""
    from kernel.cli.event_loop import describe

    return describe()


CHECKS: dict[str, Callable[[Settings], Awaitable[str]]] = {
    "settings": _settings,
    "plugins": _plugins,
    "secret key": _secret_key,
    "disk": _disk,
    "database": _database,
    "blobs": _blobs,
    "replica": _replica,
    "sandbox": _sandbox,
    "event loop": _event_loop,
}
