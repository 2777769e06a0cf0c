"""The chains of the audit trail as they are verified: their events, their ends, and what holds of them."""

import json
import logging
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from guildhall_sdk import Reader, Row, load_queries
from libs.trail_records import canonical, link_holds, seal, seal_holds

#: The tables are the trail's, and migrations of the kernel made them: it appends to `audit_events` and moves
#: `audit_heads`; `audit_checkpoints` is this plugin's alone but for the count of events.
sql = load_queries(Path(__file__).with_name("queries.sql"))
#: What the vault derives the key of the macs for.
PURPOSE = "audit"
INSTANCE_CHAIN = "instance"
#: What stands in the detail of an event that was erased but for its ids, and who did it then.
REDACTED, NOBODY = "redacted", "erased"
_PAGE = 1000
# The columns of an event that its mac covers: all but the mac.
_COVERED = (
    "id",
    "chain",
    "seq",
    "org_id",
    "team_id",
    "at",
    "actor_id",
    "actor_name",
    "action",
    "target_type",
    "target_id",
    "detail",
    "request_id",
)
_log = logging.getLogger("guildhall.audit")


class Readable(Protocol):
    """Whatever gives readers: a database, or a copy of one."""

    def read(self) -> AbstractAsyncContextManager[Reader]: ...


class Head(NamedTuple):
    """The last event of a chain."""

    chain: str
    seq: int
    mac: str


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


def event_holds(key: bytes, mac_before: str, event: Row) -> bool:
    """Tells whether an event is the one that was appended after the one with that mac."""
    content = {name: event[name] for name in _COVERED}
    return link_holds(key, mac_before, content, str(event["mac"])) or is_redacted(key, event)


def is_redacted(key: bytes, event: Row) -> bool:
    """Tells whether this instance took the words from an event, and left just these ids."""
    try:
        sealed = json.loads(event["detail"]).get(REDACTED)
    except (ValueError, AttributeError):
        return False
    return isinstance(sealed, str) and seal_holds(key, sealed, "redacted", *_left_of(event))


def redaction_of(key: bytes, event: Row) -> str:
    """Returns the detail of an event whose words are taken: it vouches for the ids, in the mac's stead."""
    return canonical({REDACTED: seal(key, "redacted", *_left_of(event))})


def _left_of(event: Row) -> list[Any]:
    return [event[name] for name in (*_COVERED, "mac") if name not in ("actor_name", "detail")]


def head_holds(key: bytes, chain: str, head: Row) -> bool:
    """Tells whether the server sealed that the chain ends there."""
    return seal_holds(key, str(head["seal"]), "head", chain, head["seq"], head["mac"])


def log_info(action: str, **fields: Any) -> None:
    """Logs an action and its fields."""
    _log.info(action, extra={"fields": fields})


def log_error(action: str, **fields: Any) -> None:
    """Logs a fault of the trail and its fields."""
    _log.error(action, extra={"fields": fields})
