"""What was found of an endpoint, kept: by a server for all its processes, by a worker for itself."""

import json
import logging
from pathlib import Path
from typing import Protocol

from builtin_plugins.executors.quirks import NO_QUIRKS, QUIRKS, Quirks, fingerprint
from guildhall_sdk import Clock, Reader, Row, Writer, load_queries
from guildhall_sdk.data import Data

sql = load_queries(Path(__file__).with_name("quirks.sql"))

_log = logging.getLogger("guildhall.executors")


class QuirkMemory(Protocol):
    """The quirks of one endpoint."""

    @property
    def quirks(self) -> Quirks: ...

    async def learn(self, found: Quirks, gone: Quirks) -> None: ...


class OwnMemory:
    """The memory of one process, or of one call."""

    def __init__(self) -> None:
        self.quirks = NO_QUIRKS

    async def learn(self, found: Quirks, gone: Quirks) -> None:
        self.quirks = (self.quirks | found) - gone


class StoredMemory:
    """The memory of an executor, in the database; `quirks` is what a row held when the turn began."""

    def __init__(self, store: "QuirkStore", executor_id: str, print_: str, quirks: Quirks) -> None:
        self._store = store
        self._executor_id = executor_id
        self._fingerprint = print_
        self.quirks = quirks

    async def learn(self, found: Quirks, gone: Quirks) -> None:
        self.quirks = (self.quirks | found) - gone
        try:
            await self._store.update(self._executor_id, self._fingerprint, found, gone)
        except Exception:  # the turn goes on: whoever comes next finds the same
            fields = {"executor": self._executor_id}
            _log.exception("executors.quirks_not_kept", extra={"fields": fields})


class QuirkStore:
    """The quirks of all executors: read with each turn, written when something new is found."""

    def __init__(self, data: Data, clock: Clock) -> None:
        self._data = data
        self._clock = clock

    async def memory(self, reader: Reader, executor_id: str, url: str, model: str | None) -> StoredMemory:
        """What is known of an executor that has this address and model now."""
        row = await reader.one(sql.kept, id=executor_id)
        return self.remembered(executor_id, url, model, quirks_of(row, url, model))

    def remembered(self, executor_id: str, url: str, model: str | None, quirks: Quirks) -> StoredMemory:
        """The memory of an executor whose quirks were read already."""
        return StoredMemory(self, executor_id, fingerprint(url, model), quirks)

    async def forget(self, writer: Writer, executor_id: str) -> None:
        await writer.run(sql.forget, id=executor_id)

    async def update(self, executor_id: str, print_: str, found: Quirks, gone: Quirks) -> None:
        """Adds to what is known of an endpoint; what was known of another address or model goes."""
        async with self._data.write() as writer:
            await writer.serialize("executor-quirks")
            row = await writer.one(sql.kept, id=executor_id)
            known = NO_QUIRKS if row is None or row["fingerprint"] != print_ else _flags(row)
            await self._keep(writer, executor_id, print_, (known | found) - gone)

    async def replace(
        self, writer: Writer, executor_id: str, url: str, model: str | None, quirks: Quirks
    ) -> None:
        """Sets what is known of an endpoint, after a look at all of it."""
        await self._keep(writer, executor_id, fingerprint(url, model), quirks)

    async def _keep(self, writer: Writer, executor_id: str, print_: str, quirks: Quirks) -> None:
        await writer.run(
            sql.keep,
            id=executor_id,
            fingerprint=print_,
            flags=json.dumps(sorted(quirks)),
            now=self._clock.now_ms(),
        )


def quirks_of(row: Row | None, url: str | None, model: str | None) -> Quirks:
    """Those of a row, unless they were found of another address or model."""
    if row is None or url is None or row["fingerprint"] != fingerprint(url, model):
        return NO_QUIRKS
    return _flags(row)


def _flags(row: Row) -> Quirks:
    """Those that this version knows: another one may have written the row."""
    return frozenset(json.loads(row["flags"])) & frozenset(QUIRKS)
