"""How long the translations that a team has asked for are kept."""

from builtin_plugins.translation.statements import sql
from guildhall_sdk import Reader, Writer, new_id
from guildhall_sdk.retention import Retained, days_setting

KEEP_TRANSLATIONS_DAYS = days_setting(
    "keep_translations_days", what="translations", default=365, variable="SERVICE_KEEP_TRANSLATIONS_DAYS"
)


async def _count(reader: Reader, before: int) -> int:
    return int(await reader.value(sql.count_old, before_id=new_id("trl", before)))


async def _throw_away(writer: Writer, before: int, limit: int) -> int:
    return len(await writer.all(sql.delete_old, before_id=new_id("trl", before), limit=limit))


OLD_TRANSLATIONS = Retained(
    name="translations",
    title="texts that were translated",
    keep_days=KEEP_TRANSLATIONS_DAYS,
    count=_count,
    throw_away=_throw_away,
)
