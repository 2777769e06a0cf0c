"""The database and the vault, for commands that work beside a running server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from kernel.clock import SystemClock
from kernel.config import Settings
from kernel.db import Database, ledger_of
from kernel.faults import CommandRefused
from kernel.secrets import SealedVault, load_secret_key


@dataclass(frozen=True, slots=True)
class OpenedInstance:
    data: Database
    vault: SealedVault
    clock: SystemClock


@asynccontextmanager
async def opened_instance(settings: Settings, *, alone: bool = False) -> AsyncIterator[OpenedInstance]:
    """Opens what `guildhall serve` made; makes nothing new. `alone` is never beside a server on SQLite."""
    from kernel.audit import Trail
    from kernel.tenancy.suspension import open_to_writing

    clock = SystemClock()
    vault = SealedVault(load_secret_key(settings.secret_key, settings.data), clock)
    data = Database(
        settings.own_database_url,
        audit_sink=Trail(vault, clock).append,
        condition_of=open_to_writing,
        shared=not alone,
    )
    await data.connect()
    try:
        await _check_made(data)
        await vault.open(data)
        yield OpenedInstance(data, vault, clock)
    finally:
        await data.disconnect()


@asynccontextmanager
async def opened_database(settings: Settings) -> AsyncIterator[Database]:
    """Opens what `guildhall serve` made to read it, whether or not the secret key is at hand."""
    data = Database(settings.own_database_url, shared=True)
    await data.connect()
    try:
        await _check_made(data)
        yield data
    finally:
        await data.disconnect()


async def _check_made(data: Database) -> None:
    async with data.read() as reader:
        if await ledger_of(reader) is None:
            raise CommandRefused(f"{data.place} is empty: start the server once, or restore a backup into it")
