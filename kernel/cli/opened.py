"""The database and the vault, for commands that work beside a running server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from guildhall_sdk.engines.engine import DatabaseEngine
from kernel.audit import Trail
from kernel.clock import SystemClock
from kernel.config import Settings
from kernel.db import Database, ledger_of
from kernel.faults import CommandRefused
from kernel.plugins.engines import command_options
from kernel.secrets.keyfile import load_secret_key
from kernel.secrets.vault import SealedVault
from kernel.tenancy.suspension import open_to_writing


@dataclass(frozen=True, slots=True)
class OpenedInstance:
    data: Database
    vault: SealedVault
    clock: SystemClock


@asynccontextmanager
async def opened_instance(
    settings: Settings, engine: DatabaseEngine, *, alone: bool = False
) -> AsyncIterator[OpenedInstance]:
    """Opens what `guildhall serve` made; makes nothing new.

    `alone` is never beside a server that owns the database.
    """
    clock = SystemClock()
    vault = SealedVault(load_secret_key(settings.secret_key, settings.data), clock)
    data = Database(
        engine,
        command_options(settings, alone=alone),
        audit_sink=Trail(vault, clock).append,
        condition_of=open_to_writing,
    )
    async with connected(data):
        await _check_made(data)
        await vault.open(data)
        yield OpenedInstance(data, vault, clock)


@asynccontextmanager
async def opened_database(
    settings: Settings, engine: DatabaseEngine, *, made: bool = True
) -> AsyncIterator[Database]:
    """Opens what `guildhall serve` made to read it, whether or not the secret key is at hand.

    Not necessarily `made`, it may be a database without tables yet.
    """
    async with connected(Database(engine, command_options(settings))) as data:
        if made:
            await _check_made(data)
        yield data


@asynccontextmanager
async def connected(data: Database) -> AsyncIterator[Database]:
    await data.connect()
    try:
        yield data
    finally:
        await data.disconnect()


async def _check_made(data: Database) -> None:
    async with data.read() as reader:
        if await ledger_of(reader, data.engine) is None:
            raise CommandRefused(f"{data.place} is empty: start the server once, or restore a backup into it")
