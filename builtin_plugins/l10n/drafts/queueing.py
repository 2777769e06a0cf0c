"""Asking for drafts: a batch of what is missing, each message once."""

from dataclasses import dataclass
from typing import Any

from builtin_plugins.l10n.drafts.jobs import DRAFT
from builtin_plugins.l10n.drafts.statements import sql
from guildhall_sdk import NewJob, Principal, Writer
from guildhall_sdk.services.jobs import Jobs

BATCH = 20
# A job may be put off for a day. One of a company that is suspended waits for longer, and holds up nobody.
_LAPSE_MS = 25 * 3_600_000


@dataclass(frozen=True, slots=True)
class Queued:
    """The jobs of one batch, and how many missing messages no job is under way for."""

    jobs: tuple[str, ...]
    remaining: int
    open: bool

    def public(self) -> dict[str, Any]:
        """The batch as the API shows it."""
        return {"queued": len(self.jobs), "remaining": self.remaining, "jobs": [*self.jobs]}


async def queue_drafts(writer: Writer, jobs: Jobs, caller: Principal, locale: str, now_ms: int) -> Queued:
    """Enqueues a draft for each of the next missing messages, in the caller's transaction."""
    # Who asks meanwhile waits, and gets those that follow.
    await writer.serialize(f"l10n.drafts {locale}")
    found = {"locale": locale, "lapsed": now_ms - _LAPSE_MS}
    rows = await writer.all(sql.queue_messages, now=now_ms, limit=BATCH, **found)
    new = [
        NewJob(DRAFT, caller.org_id, caller.team_id, caller.user_id, {"message_id": row["message_id"]})
        for row in rows
    ]
    queued = await jobs.enqueue_many(writer, new) if new else ()
    if queued:
        writer.audit("localization.drafts_queued", ("locale", locale), detail={"queued": len(queued)})
    remaining = await writer.value(sql.count_waiting, **found)
    is_open = await writer.value(sql.is_open, locale=locale) is not None
    return Queued(tuple(job.id for job in queued), int(remaining or 0), is_open)
