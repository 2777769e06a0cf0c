"""How long executors that were retired are kept."""

from pathlib import Path

from guildhall_sdk import Reader, Writer, load_queries
from guildhall_sdk.retention import Retained, days_setting

sql = load_queries(Path(__file__).with_name("retention.sql"))

KEEP_EXECUTORS_DAYS = days_setting(
    "keep_retired_days",
    what="executors that were retired",
    default=365,
    variable="SERVICE_KEEP_RETIRED_EXECUTORS_DAYS",
)


async def _count(reader: Reader, before: int) -> int:
    return int(await reader.value(sql.count, before=before))


async def _throw_away(writer: Writer, before: int, limit: int) -> int:
    return len(await writer.all(sql.delete, before=before, limit=limit))


RETIRED_EXECUTORS = Retained(
    name="retired_executors",
    title="executors that were retired",
    keep_days=KEEP_EXECUTORS_DAYS,
    count=_count,
    throw_away=_throw_away,
)
