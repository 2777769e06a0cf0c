"""How long it is known who used which model."""

from pathlib import Path

from builtin_plugins.ai.usage import DAY_MS
from guildhall_sdk import Reader, Writer, load_queries
from guildhall_sdk.retention import Retained, days_setting

sql = load_queries(Path(__file__).with_name("retention.sql"))

KEEP_USAGE_DAYS = days_setting(
    "keep_usage_days", what="records of who used models", default=730, variable="SERVICE_KEEP_USAGE_DAYS"
)


async def _count(reader: Reader, before: int) -> int:
    return int(await reader.value(sql.count, before=_day_of(before)))


async def _throw_away(writer: Writer, before: int, limit: int) -> int:
    """Throws some away; the sums of their days follow."""
    return len(await writer.all(sql.delete, before=_day_of(before), limit=limit))


def _day_of(before: int) -> int:
    """Returns when a day began: they go whole, as what is put together by the day stands at its beginning."""
    return before - before % DAY_MS


OLD_USAGE = Retained(
    name="usage",
    title="who used which model with what credential, by the day",
    keep_days=KEEP_USAGE_DAYS,
    count=_count,
    throw_away=_throw_away,
)
