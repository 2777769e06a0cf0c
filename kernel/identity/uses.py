"""When sessions were last used: a date for their owners to look at, no more."""

import asyncio
import contextlib
import json
from pathlib import Path

from guildhall_sdk import Clock, Credential, Data, Problem, load_queries

NOTED_EVERY_MS = 5 * 60 * 1000
FLUSH_SECONDS = 60.0
MOST_HELD = 100_000
_sql = load_queries(Path(__file__).with_name("queries.sql"))


class SessionUses:
    """Collects uses and writes them together now and then: no request waits for it, or writes for it."""

    def __init__(self, data: Data, clock: Clock) -> None:
        self._data = data
        self._clock = clock
        self._used: set[str] = set()
        self._flushing: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._flushing = asyncio.create_task(self._flush_now_and_then())

    async def stop(self) -> None:
        if self._flushing is not None:
            self._flushing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._flushing
        await self.flush()

    def note(self, credential: Credential) -> None:
        seen = credential.last_used_at
        if not credential.is_session or seen is None or len(self._used) >= MOST_HELD:
            return
        if seen < self._clock.now_ms() - NOTED_EVERY_MS:
            self._used.add(credential.id)

    async def flush(self) -> None:
        used, self._used = self._used, set()
        if not used:
            return
        # Busy: it is but a date, and the next use is recorded.
        with contextlib.suppress(Problem):
            async with self._data.write() as writer:
                await writer.run(_sql.note_uses, ids=json.dumps(sorted(used)), now=self._clock.now_ms())

    async def _flush_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            await self.flush()
