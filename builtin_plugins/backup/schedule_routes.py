"""`GET /api/admin/backups`: how backups are made on the schedule, and how the last one went."""

from collections.abc import Mapping
from typing import Any

from builtin_plugins.backup.schedule import EVERY, KEEP, KEY, REHEARSE, TO, is_overdue, last_of
from guildhall_sdk import Call, Reply, Route, rfc3339
from guildhall_sdk.schema import boolean, integer, nullable, shape, string
from guildhall_sdk.services.server import InstanceFacts

_LAST = shape(
    {
        "name": string(),
        "at": string(format="date-time"),
        "age_seconds": integer(0),
        "rehearsed": boolean(description="Whether it was restored on trial"),
    }
)
ROUTES = (
    Route(
        "GET",
        "/api/admin/backups",
        "backups",
        "How backups are made on the schedule, and how old the last one is",
        permission="instance:manage",
        reply=shape(
            {
                "to": nullable(
                    string(description="A folder or s3://bucket/prefix; null: none are scheduled")
                ),
                "every_seconds": integer(1),
                "keep": integer(1),
                "encrypted": boolean(),
                "rehearses": boolean(description="Whether each is to be restored on trial"),
                "overdue": boolean(description="Whether one should have been made long ago"),
                "last": nullable(_LAST),
            }
        ),
    ),
)


async def backups(call: Call) -> Reply:
    host, now = call.host, call.host.clock.now_ms()
    async with call.read() as reader:
        last = await last_of(host.service(InstanceFacts), reader)
    to = host.setting(TO)
    told = last and {
        "name": last["name"],
        "at": rfc3339(int(last["at_ms"])),
        "age_seconds": max(0, (now - int(last["at_ms"])) // 1000),
        "rehearsed": bool(last["rehearsed"]),
    }
    return Reply(
        {
            "to": to,
            "every_seconds": host.setting(EVERY),
            "keep": host.setting(KEEP),
            "encrypted": host.setting(KEY) is not None,
            "rehearses": host.setting(REHEARSE),
            "overdue": to is not None and is_overdue(last, host.setting(EVERY), now),
            "last": told,
        }
    )


HANDLERS: Mapping[str, Any] = {"backups": backups}
