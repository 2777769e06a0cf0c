"""Discarding the drafts of machines."""

import json

from builtin_plugins.l10n.messages.importing import BULK_LOCK
from builtin_plugins.l10n.messages.statements import sql
from guildhall_sdk import Writer


async def discard_drafts(writer: Writer, locale: str, now_ms: int) -> int:
    """Removes the machine drafts of a language, and returns how many there were; nobody's own work goes."""
    await writer.serialize(BULK_LOCK)
    discarded = await writer.all(sql.discard_machine_work, locale=locale, now=now_ms)
    if discarded:
        changes = [(row["id"], row["version"], "discarded", None) for row in discarded]
        await writer.run(sql.record_changes, changes=json.dumps(changes), now=now_ms)
        writer.audit("localization.discarded", ("locale", locale), detail={"discarded": len(discarded)})
    return len(discarded)
