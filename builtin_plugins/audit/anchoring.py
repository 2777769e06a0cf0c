"""Writes an anchor now and then, and looks whether what was anchored before still stands."""

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

from builtin_plugins.audit.anchor_file import EARLIER, FILE, AnchorFile
from builtin_plugins.audit.chain import PURPOSE, Head, log_error, log_info, read_heads, sql
from builtin_plugins.audit.checkpoints import read_floor
from guildhall_sdk import Clock, Problem, Reader
from guildhall_sdk.commands import KeptFiles, RestoredInstance
from guildhall_sdk.data import Data

INTERVAL_SECONDS = 300.0
# Who waits for a server that was here before is answered before it anchors.
_FIRST_SECONDS = 1.0
_MAX_SAID = 20


class Anchoring:
    """Anchors the chains for one server process, from its start to its stop."""

    def __init__(self, data: Data, key: bytes, clock: Clock, folder: Path) -> None:
        self._data = data
        self._key = key
        self._clock = clock
        self._folder = folder
        self._known: dict[str, Head] | None = None
        self._broken: set[Head] = set()
        self._turn = asyncio.Lock()

    async def run(self) -> None:
        """Anchors every five minutes until it is cancelled."""
        if (self._folder / FILE).exists():
            await asyncio.sleep(_FIRST_SECONDS)
        while True:
            # A thread goes on writing when its task is cancelled: the last anchor waits for it.
            await asyncio.shield(asyncio.create_task(self.try_anchor()))
            await asyncio.sleep(INTERVAL_SECONDS)

    async def try_anchor(self) -> None:
        """Writes an anchor; what keeps it from that is logged."""
        try:
            await self.anchor()
        except (OSError, Problem, RuntimeError) as error:
            log_error("audit.not_anchored", error=f"{type(error).__name__}: {error}")

    async def anchor(self) -> bool:
        """Writes an anchor; returns False when no chain moved since the last one."""
        async with self._turn:
            file = AnchorFile(self._folder, self._key)
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
            log_error("audit.contradicted", chain=head.chain, event=head.seq, hint="guildhall audit verify")
        # What is contradicted stays on record, also in a file that begins anew.
        self._broken.update(broken)
        everything = heads + sorted(self._broken, key=str)
        anchor = await asyncio.to_thread(file.append, self._clock.now_ms(), everything, moved + broken)
        self._known = {head.chain: head for head in heads}
        log_info("audit.anchored", anchor=anchor.for_log().line(self._key))

    async def _contradicted(self, moved: Sequence[Head], known: dict[str, Head]) -> list[Head]:
        """Returns the heads that were anchored and whose event has changed or is gone."""
        broken = []
        async with self._data.read() as reader:
            for head in moved:
                before = known.get(head.chain)
                if before is None:
                    continue
                mac = await reader.value(sql.mac_of_event, chain=before.chain, seq=before.seq)
                if mac != before.mac and not await self._was_deleted(reader, before):
                    broken.append(before)
        return broken

    async def _was_deleted(self, reader: Reader, head: Head) -> bool:
        """Tells whether the event is gone because it had been kept for long enough."""
        floor = await read_floor(reader, self._key, head.chain)
        return floor is not None and (floor.seq > head.seq or (floor.seq, floor.mac) == (head.seq, head.mac))


async def anchor_restore(restored: RestoredInstance) -> None:
    """Records a restore in the anchors: the chains rightly end earlier from now on.

    The next boot records an event.
    """
    heads = await read_heads(restored)
    folder, now = restored.folder, restored.clock.now_ms()
    anchors = AnchorFile(folder, restored.vault.derive(PURPOSE))
    if not anchors.belongs_here():
        anchors.lay_aside(now)
    if not anchors.path.exists():
        for name in KEPT.names:
            if name in restored.files:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                shutil.copyfile(restored.copied / name, folder / name)
                (folder / name).chmod(0o600)
    anchors.append(now, heads, heads, kind="restored", backup=restored.backup_id)


KEPT = KeptFiles(names=(FILE, EARLIER), restore=anchor_restore)


def _known_heads(file: AnchorFile) -> tuple[dict[str, Head], set[Head]]:
    """Reads where the chains ended by the last anchors, and which heads one of these names twice.

    A head that is named a second time in one anchor was contradicted.
    """
    known: dict[str, Head] = {}
    broken: set[Head] = set()
    source = file.read()
    for fault in source.faults if source is not None else ():
        log_error("audit.anchors_damaged", fault=fault)
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
