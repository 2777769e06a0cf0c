"""How long people who signed up are known, whatever was decided about them."""

from builtin_plugins.beta.prospects.prospects import sql
from builtin_plugins.beta.prospects.settings import RETENTION_DAYS
from guildhall_sdk import Reader, Writer
from guildhall_sdk.retention import Retained


async def _count(reader: Reader, before: int) -> int:
    return int(await reader.value(sql.count_old, before=before))


async def _throw_away(writer: Writer, before: int, limit: int) -> int:
    return len(await writer.all(sql.delete_old, before=before, limit=limit))


OLD_PROSPECTS = Retained(
    name="prospects",
    title="people who signed up for the beta, whatever was decided",
    keep_days=RETENTION_DAYS,
    count=_count,
    throw_away=_throw_away,
)
