"""How much a team may have waiting: so many jobs, each with so large a payload."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from guildhall_sdk import Clock, TooLarge, TooManyRequests, Writer, load_queries

MAX_WAITING = 100_000
MAX_PAYLOAD_BYTES = 256 * 1024
# So few places are given out whole; of more a part, because other processes give them out as well.
FEW_PLACES = 64
_SHARE = 8
_COUNT_AGAIN_MS = 1000
_RETRY_AFTER_SECONDS = 10
_TEAMS_REMEMBERED = 10_000

sql = load_queries(Path(__file__).with_name("queue_limit.sql"))


def refuse_long_texts(payload: Any) -> None:
    """Before anything is made of it: megabytes take the loop longer to encode than to look at."""
    todo, characters = [payload], 0
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            characters += len(node)
            if characters > MAX_PAYLOAD_BYTES:
                raise _too_large()
        elif isinstance(node, Mapping):
            todo.extend(node.values())
        elif isinstance(node, list | tuple):
            todo.extend(node)


def check_payload_size(payload: Any, encoded: str) -> None:
    """Checks the size as UTF-8 without spaces; `encoded` is plain ASCII, and so never smaller."""
    if len(encoded) <= MAX_PAYLOAD_BYTES:
        return
    compact = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    if len(compact.encode("utf-8", "surrogatepass")) > MAX_PAYLOAD_BYTES:
        raise _too_large()


def _too_large() -> TooLarge:
    return TooLarge(
        f"A job's payload takes at most {MAX_PAYLOAD_BYTES} bytes; "
        "keep what is larger in the repository and name it in the payload.",
        limit=MAX_PAYLOAD_BYTES,
    )


@dataclass(slots=True)
class _Places:
    """The places that this process may still hand out, as of the last count."""

    left: int = 0
    was_all: bool = False
    counted_at: int | None = None
    counting: asyncio.Lock = field(default_factory=asyncio.Lock)


class QueueLimit:
    """Counts a team's waiting jobs now and then, not with every job.

    A count gives out places, and only once these are used up is there another. Jobs that end in between
    make no room until then, so the limit is never passed by what one process takes in; several together
    may pass it by `FEW_PLACES` each. A full queue is counted again at most once a second.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._teams: defaultdict[str, _Places] = defaultdict(_Places)

    async def take(self, writer: Writer, team_id: str, many: int) -> None:
        """Raises `TooManyRequests` `queue_full`."""
        if team_id not in self._teams and len(self._teams) >= _TEAMS_REMEMBERED:
            self._teams.clear()  # then they are counted again
        places = self._teams[team_id]
        if places.left < many:
            async with places.counting:
                if places.left < many:
                    await self._count(writer, team_id, places, many)
        places.left -= many

    async def _count(self, writer: Writer, team_id: str, places: _Places, many: int) -> None:
        now = self._clock.now_ms()
        just_counted = places.counted_at is not None and 0 <= now - places.counted_at < _COUNT_AGAIN_MS
        if just_counted and places.was_all:
            raise _queue_full()
        waiting: int = await writer.value(sql.waiting_of_team, team_id=team_id, max_rows=MAX_WAITING)
        room = max(0, MAX_WAITING - waiting)
        places.left = room if room <= FEW_PLACES else max(FEW_PLACES, many, room // _SHARE)
        places.left = min(places.left, room)
        places.was_all, places.counted_at = places.left == room, now
        if room < many:
            raise _queue_full()


def _queue_full() -> TooManyRequests:
    return TooManyRequests(
        f"The team has {MAX_WAITING} jobs waiting already; try again when some of them are done.",
        code="queue_full",
        headers={"Retry-After": str(_RETRY_AFTER_SECONDS)},
        limit=MAX_WAITING,
    )
