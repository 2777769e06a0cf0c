"""How much a team may have waiting: so many jobs, each with so large a payload."""

import json
from functools import partial
from pathlib import Path
from typing import Any

from guildhall_sdk import Clock, TooLarge, TooManyRequests, Writer, load_queries
from libs.fair_queue import CountedPlaces
from libs.strict_json import has_longer_texts, utf8_size

MAX_WAITING = 100_000
MAX_PAYLOAD_BYTES = 256 * 1024
_RETRY_AFTER_SECONDS = 10

sql = load_queries(Path(__file__).with_name("queue_limit.sql"))


def encode_payload(payload: Any) -> str:
    """Encodes a payload that is no longer than it may be, as UTF-8 without spaces; raises `TooLarge`.

    Megabytes of texts are refused before: they take the loop longer to encode than to look at. What is made
    of others is plain ASCII, and so never shorter than its UTF-8.
    """
    if not has_longer_texts(payload, MAX_PAYLOAD_BYTES):
        encoded = json.dumps(payload)
        if len(encoded) <= MAX_PAYLOAD_BYTES or utf8_size(payload) <= MAX_PAYLOAD_BYTES:
            return encoded
    raise TooLarge(
        f"A job's payload takes at most {MAX_PAYLOAD_BYTES} bytes; "
        "keep what is larger in the repository and name it in the payload.",
        limit=MAX_PAYLOAD_BYTES,
    )


class QueueLimit:
    """Counts a team's waiting jobs now and then, not with every job."""

    def __init__(self, clock: Clock) -> None:
        self._places = CountedPlaces(clock.now_ms)

    async def take(self, writer: Writer, team_id: str, many: int) -> None:
        """Raises `TooManyRequests` `queue_full`."""
        count = partial(writer.value, sql.waiting_of_team, team_id=team_id, max_rows=MAX_WAITING)
        if not await self._places.take(team_id, many, MAX_WAITING, count):
            raise TooManyRequests(
                f"The team has {MAX_WAITING} jobs waiting already; try again when some of them are done.",
                code="queue_full",
                headers={"Retry-After": str(_RETRY_AFTER_SECONDS)},
                limit=MAX_WAITING,
            )
