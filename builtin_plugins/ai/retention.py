"""How long it is known who used which model."""

from pathlib import Path

from guildhall_sdk import Reader, Writer, load_queries
from guildhall_sdk.retention import Retained, days_setting

sql = load_queries(Path(__file__).with_name("retention.sql"))

_LINE = ("team_id", "day", "user_id", "model", "credential")
KEEP_USAGE_DAYS = days_setting(
    "keep_usage_days", what="records of who used models", default=730, variable="SERVICE_KEEP_USAGE_DAYS"
)


async def _count(reader: Reader, before: int) -> int:
    return int(await reader.value(sql.count, before=before))


async def _throw_away(writer: Writer, before: int, limit: int) -> int:
    """Throws some away, and takes them off the sums of their days."""
    rows = await writer.all(sql.delete, before=before, limit=limit)
    for row in sorted(rows, key=lambda row: [row[name] for name in _LINE]):
        line = {name: row[name] for name in _LINE}
        await writer.run(sql.take_from_day, **line, requests=row["requests"], tokens=row["tokens"])
        await writer.run(sql.remove_empty_day, **line)
    return len(rows)


OLD_USAGE = Retained(
    name="usage",
    title="who used which model with what credential, by the day",
    keep_days=KEEP_USAGE_DAYS,
    count=_count,
    throw_away=_throw_away,
)
