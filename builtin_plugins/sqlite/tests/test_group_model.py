"""Random writers on SQLite against a model: what was acknowledged is there, and what failed is not."""

import asyncio
import os
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from guildhall_sdk import Unavailable
from guildhall_sdk.engines.engine import Account
from guildhall_testing.accounts import OWN, request_of
from guildhall_testing.counters import ADD, ALL, COUNTERS
from guildhall_testing.databases import database_at
from guildhall_testing.lines import ENDLESS, LONG_WRITE, ORPHAN, ORPHANS, Line

ACCOUNTS = [request_of("org_acme"), request_of("org_globex"), OWN]
#: What a scope does between its first statement and its last.
DEEDS = ("nothing", "fail", "wait", "be cancelled", "read", "quick", "too long", "orphan", "pass over")
LIKELY = (30, 12, 10, 15, 8, 12, 1, 3, 3)
QUICK_ADD = type(ADD)("quick", ADD.sqlite, ADD.postgresql, quick=True)


class Writers:
    """Each writes two rows in one scope; `told` is what its caller got to hear."""

    def __init__(self, line: Line, chance: random.Random) -> None:
        self._line = line
        self._chance = chance
        self.told: dict[str, str] = {}

    async def run(self, name: str, deed: str) -> None:
        self.told[name] = "cancelled"
        try:
            await self._write(name, deed)
        except Unavailable:
            self.told[name] = "unavailable"
        except asyncio.CancelledError:
            raise
        except Exception:
            self.told[name] = "failed"
        else:
            self.told[name] = "done"

    async def _write(self, name: str, deed: str) -> None:
        async with self._line.database.write() as writer:
            writer.after_commit(lambda: self._line.callbacks.append(name))
            await writer.run(ADD, id=f"{name} 1", n=1)
            await self._do(deed, writer, name)
            await writer.run(ADD, id=f"{name} 2", n=1)

    async def _do(self, deed: str, writer: Any, name: str) -> None:
        if deed == "fail":
            raise LookupError(name)
        if deed in ("wait", "be cancelled"):
            await asyncio.sleep(self._chance.choice((0, 0, 0.001, 0.02)))
        elif deed == "read":
            await writer.all(ALL)
        elif deed == "quick":
            await writer.run(QUICK_ADD, id=f"{name} 3", n=1)
        elif deed == "too long":
            await writer.run(LONG_WRITE, rows=ENDLESS)
        elif deed == "orphan":
            await writer.run(ORPHAN, id=name)
        elif deed == "pass over":
            with suppress(Exception):
                await writer.run(ADD, id=f"{name} 1", n=2)

    async def come(self, many: int) -> None:
        for number in range(many):
            (deed,) = self._chance.choices(DEEDS, LIKELY)
            name = f"{number} {deed}"
            await self._line.queue(name, self.run(name, deed), self._account(deed))
            if deed == "be cancelled":
                delay = self._chance.choice((0, 0.0005, 0.002, 0.01))
                asyncio.get_running_loop().call_later(delay, self._line.tasks[name].cancel)
            if self._chance.random() < 0.3:
                await asyncio.sleep(self._chance.choice((0, 0.001, 0.005)))

    def _account(self, deed: str) -> Account:
        return ACCOUNTS[0] if deed == "too long" else self._chance.choice(ACCOUNTS)


@asynccontextmanager
async def opened() -> AsyncIterator[Line]:
    with TemporaryDirectory() as folder:
        database = database_at(f"sqlite:///{Path(folder) / 'test.db'}", statement_seconds=0.05)
        await database.connect()
        async with database.write() as writer:
            await writer.run(COUNTERS)
            await writer.run(ORPHANS)
        try:
            yield Line(database)
        finally:
            await database.disconnect()


@settings(max_examples=10 * int(os.environ.get("SOAK_ROUNDS", "1")))
@given(seed=st.integers(0, 2**32), many=st.integers(2, 25))
def test_what_was_acknowledged_is_there_and_what_failed_is_not(seed: int, many: int) -> None:
    asyncio.run(_check(seed, many))


async def _check(seed: int, many: int) -> None:
    async with opened() as line:
        writers = Writers(line, random.Random(seed))
        await writers.come(many)
        await line.outcomes()
        # Nothing is left behind: the next one writes as if nothing had been, after all that came before.
        await line.write("after")
        rows = await line.written()
        assert "after" in rows
        for name, told in writers.told.items():
            whole = {f"{name} 1", f"{name} 2"}
            found = whole & rows
            if told == "done":
                assert found == whole, name
            elif told == "cancelled":
                assert found in (set(), whole), name
            else:
                assert not found, name
            assert (name in line.callbacks) == bool(found), name
        assert len(line.callbacks) == len(set(line.callbacks))
