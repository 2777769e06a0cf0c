"""Writes an anchor now and then, and looks whether what was anchored before still stands."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from typing import Protocol

from guildhall_sdk import Actor, Clock, Problem, Reader
from kernel.audit.anchor_file import FILE, AnchorFile
from kernel.audit.anchors import Head
from kernel.audit.checkpoints import read_floor
from kernel.audit.trail import Trail, sql
from kernel.db import Database
from kernel.logs import get_logger

_log = get_logger("audit")
INTERVAL_SECONDS = 300.0
# Who waits for a server that was here before is answered before it anchors.
_FIRST_SECONDS = 1.0
_PAGE = 1000
_MAX_SAID = 20


class Readable(Protocol):
    """Whatever gives readers: a database, or a copy of one."""

    def read(self) -> AbstractAsyncContextManager[Reader]: ...


class Anchoring:
    """Anchors the chains for one server process, from its start to its stop."""

    def __init__(self, data: Database, trail: Trail, clock: Clock, folder: Path) -> None:
        self._data = data
        self._trail = trail
        self._clock = clock
        self._folder = folder
        self._known: dict[str, Head] | None = None
        self._broken: set[Head] = set()
        self._running: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()

    async def start(self) -> None:
        await record_restore(self._data)
        self._running = asyncio.create_task(self._run(), name="anchoring the audit trail")

    async def stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running
            self._running = None
            await self._try()

    async def anchor(self) -> bool:
        """Writes an anchor; returns False when no chain moved since the last one."""
        async with self._turn:
            file = AnchorFile(self._folder, self._trail.key)
            known = self._known
            if known is None:
                loaded = await asyncio.to_thread(_known_heads, file)
                known, self._broken = loaded[0], loaded[1]
            heads = await read_heads(self._data)
            # An anchor outlives a crash of the database: so must the events that it tells of.
            await self._data.flush()
            moved = [head for head in heads if known.get(head.chain) != head]
            gone = sorted(known.keys() - {head.chain for head in heads})
            if not moved and not gone and await asyncio.to_thread(file.path.exists):
                return False
            broken = [known[chain] for chain in gone] + await self._contradicted(moved, known)
            await self._write(file, heads, moved, broken)
            return True

    async def _write(
        self, file: AnchorFile, heads: list[Head], moved: list[Head], broken: list[Head]
    ) -> None:
        for head in broken[:_MAX_SAID]:
            _log.error("audit.contradicted", chain=head.chain, event=head.seq, hint="guildhall audit verify")
        # What is contradicted stays on record, also in a file that begins anew.
        self._broken.update(broken)
        everything = heads + sorted(self._broken, key=str)
        anchor = await asyncio.to_thread(file.append, self._clock.now_ms(), everything, moved + broken)
        self._known = {head.chain: head for head in heads}
        _log.info("audit.anchored", anchor=anchor.for_log().line(self._trail.key))

    async def _run(self) -> None:
        if self._has_anchored():
            await asyncio.sleep(_FIRST_SECONDS)
        while True:
            await self._try()
            await asyncio.sleep(INTERVAL_SECONDS)

    def _has_anchored(self) -> bool:
        return (self._folder / FILE).exists()

    async def _try(self) -> None:
        try:
            await self.anchor()
        except (OSError, Problem, RuntimeError) as error:
            _log.error("audit.not_anchored", error=f"{type(error).__name__}: {error}")

    async def _contradicted(self, moved: Sequence[Head], known: dict[str, Head]) -> list[Head]:
        """Returns the heads that were anchored and whose event has changed or is gone."""
        broken = []
        async with self._data.read() as reader:
            for head in moved:
                before = known.get(head.chain)
                if before is None:
                    continue
                mac = await reader.value(sql.mac_of_event, chain=before.chain, seq=before.seq)
                if mac != before.mac and not await self._thrown_away(reader, before):
                    broken.append(before)
        return broken

    async def _thrown_away(self, reader: Reader, head: Head) -> bool:
        """Tells whether the event is gone because it had been kept for long enough."""
        floor = await read_floor(reader, self._trail.key, head.chain)
        return floor is not None and (floor.seq > head.seq or (floor.seq, floor.mac) == (head.seq, head.mac))


async def read_heads(data: Readable) -> list[Head]:
    """Reads where every chain ends."""
    heads, after = list[Head](), ""
    while True:
        async with data.read() as reader:
            rows = await reader.all(sql.heads, after=after, limit=_PAGE)
        heads += [Head(str(row["chain"]), int(row["seq"]), str(row["mac"])) for row in rows]
        if len(rows) < _PAGE:
            return heads
        after = heads[-1].chain


async def record_restore(data: Database) -> None:
    """Records the event of a restore, once: the restored database brings the fact along."""
    async with data.read() as reader:
        if await reader.one(sql.restored_from) is None:
            return
    async with data.write(Actor("operator")) as writer:
        row = await writer.one(sql.forget_restored_from)
        if row is not None:
            writer.audit("instance.restored", ("backup", str(row["value"])))


def _known_heads(file: AnchorFile) -> tuple[dict[str, Head], set[Head]]:
    """Reads where the chains ended by the last anchors, and which heads one of these names twice.

    A head that is named a second time in one anchor was contradicted.
    """
    known: dict[str, Head] = {}
    broken: set[Head] = set()
    source = file.read()
    for fault in source.faults if source is not None else ():
        _log.error("audit.anchors_damaged", fault=fault)
    for anchor in source.anchors if source is not None else ():
        if anchor.extent == "all":
            known, broken = {}, set()
        if anchor.kind == "restored":
            continue
        named: set[str] = set()
        for head in anchor.heads:
            if head.chain in named:
                broken.add(head)
            else:
                known[head.chain] = head
            named.add(head.chain)
    return known, broken
