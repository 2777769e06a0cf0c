"""How long runs that have ended are kept, with their steps and outputs."""

from pathlib import Path

from guildhall_sdk import Reader, Writer, load_queries, new_id
from guildhall_sdk.retention import Retained, days_setting

sql = load_queries(Path(__file__).with_name("retention.sql"))

KEEP_RUNS_DAYS = days_setting(
    "keep_runs_days", what="runs that have ended", default=365, variable="SERVICE_KEEP_RUNS_DAYS"
)
_MAX_ITEMS = 1_000


async def _count(reader: Reader, before: int) -> int:
    return int(await reader.value(sql.count, before=before, before_id=new_id("run", before)))


async def _throw_away(writer: Writer, before: int, limit: int) -> int:
    """Throws the oldest runs away: the items of their maps first, for as many portions as these take."""
    over = {"before": before, "before_id": new_id("run", before), "limit": limit}
    items = await writer.all(sql.delete_items, **over, max_items=_MAX_ITEMS)
    if len(items) == _MAX_ITEMS:
        return len(items)
    return len(items) + len(await writer.all(sql.delete_runs, **over))


ENDED_RUNS = Retained(
    name="runs",
    title="runs of workflows that have ended, with their steps and outputs",
    keep_days=KEEP_RUNS_DAYS,
    count=_count,
    throw_away=_throw_away,
)
