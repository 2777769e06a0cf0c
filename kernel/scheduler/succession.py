"""Taking up what a dead process held: seconds after its death, not when the leases lapse."""

from dataclasses import dataclass

from guildhall_sdk import Clock, Row
from kernel.db import Database
from kernel.logs import get_logger
from kernel.scheduler.completion import CompletionWriter
from kernel.scheduler.presence import Presence, lock_key
from kernel.scheduler.statements import sql

_log = get_logger("jobs")
SILENT_MS = 5_000
# Whoever has not looked for so long cannot tell whose silence is whose.
_LONGEST_GAP_MS = 3_000


@dataclass(frozen=True, slots=True)
class _Sign:
    """The last sign of a process, and when this process saw it first, by its own steady clock."""

    seen_at: int
    since: int


class Silence:
    """The processes that have given no sign for too long, as far as this process could have seen one.

    No clock but its own is asked: one that jumps elsewhere makes nobody silent. After a gap in which it
    looked at nothing itself, it begins anew.
    """

    def __init__(self) -> None:
        self._looked_at = 0
        self._signs: dict[str, _Sign] = {}

    def of(self, seen: dict[str, int], steady_ms: int) -> list[str]:
        """Returns those that have been silent for too long. `seen` is everybody's last sign now."""
        before = self._signs if steady_ms - self._looked_at <= _LONGEST_GAP_MS else {}
        self._looked_at = steady_ms
        self._signs = {
            one: known if (known := before.get(one)) and known.seen_at == at else _Sign(at, steady_ms)
            for one, at in seen.items()
        }
        return [one for one, sign in self._signs.items() if steady_ms - sign.since >= SILENT_MS]


class Succession:
    def __init__(self, data: Database, clock: Clock, presence: Presence, endings: CompletionWriter) -> None:
        self._data = data
        self._clock = clock
        self._presence = presence
        self._endings = endings
        self._silence = Silence()

    async def take_over(self) -> None:
        """Looks at the other processes once; what a dead one held waits for another attempt."""
        if self._presence.id is None:
            return
        async with self._data.read() as reader:
            others = {row["id"]: row for row in await reader.all(sql.other_processes, id=self._presence.id)}
        seen = {one: row["seen_at"] for one, row in others.items()}
        for silent in self._silence.of(seen, self._clock.steady_ms()):
            await self.take_over_from(others[silent])

    async def take_over_from(self, silent: Row) -> None:
        """Holds its lock for itself meanwhile: it is not connected, and cannot come back half-way."""
        async with self._data.write() as writer:
            if not await writer.value(sql.is_disconnected, key=lock_key(silent["id"])):
                return
            if await writer.one(sql.declare_dead, id=silent["id"], seen_at=silent["seen_at"]) is None:
                return
            held = await writer.all(sql.held_by_process, process_id=silent["id"])
            taken = await self._endings.take_away(writer, held)
        jobs = len(taken)
        _log.warning("process.lost", process=silent["id"], host=silent["host"], pid=silent["pid"], jobs=jobs)
