"""A month of usage to look at, for halls that are there to be looked around in."""

from dataclasses import replace

from builtin_plugins.ai.settings import SAMPLE_USAGE
from builtin_plugins.ai.usage import DAY_MS, HOUR_MS, UsageBook, sql
from guildhall_sdk import Host, Principal, Writer
from guildhall_sdk.factories import Samples, Seeded

_DAYS, _PEOPLE = 30, 4
_MODELS = ("local", "small", "large")
_WEEKEND = (2, 3)  # The epoch began on a Thursday.


async def seed(host: Host, writer: Writer, caller: Principal, now_ms: int) -> Seeded:
    """Writes what the team's people used on each day of a month, where an operator wants that."""
    if not host.setting(SAMPLE_USAGE):
        return Seeded(0, 0)
    today = now_ms - now_ms % DAY_MS
    if await writer.one(sql.used_before, team_id=caller.team_id, before=today) is not None:
        return Seeded(0, _DAYS)
    people = [
        row["user_id"] for row in await writer.all(sql.first_people, team_id=caller.team_id, limit=_PEOPLE)
    ]
    book = host.service(UsageBook)
    for day in range(1, _DAYS):
        at = today - day * DAY_MS
        calm = 4 if at // DAY_MS % 7 in _WEEKEND else 1
        for place, user_id in enumerate(people):
            requests = (3 + (day * 7 + place * 5) % 17) // calm // (place + 1)
            if requests:
                await book.add(
                    writer,
                    replace(caller, user_id=user_id),
                    _MODELS[(day + place) % len(_MODELS)],
                    requests=requests,
                    tokens=requests * (310 + (day * 37 + place * 91) % 420),
                    at_ms=at + (9 + place) * HOUR_MS,
                )
    return Seeded(_DAYS - 1, 0)


SAMPLES = (Samples("usage", "settings:manage", seed),)
