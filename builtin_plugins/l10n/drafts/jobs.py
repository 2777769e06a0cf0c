"""The job of a draft: it acts as whoever asked for it, and lands only where nobody was quicker."""

from typing import Any

from builtin_plugins.l10n.drafts.drafting import make_draft
from builtin_plugins.l10n.drafts.segments import NoDraft
from builtin_plugins.l10n.drafts.statements import sql
from builtin_plugins.l10n.messages import history
from guildhall_sdk import Host, Job, JobCall, JobFailed, JobKind, PermissionDenied, Writer
from guildhall_sdk.schema import obj, string
from guildhall_sdk.services.localization import Translator

DRAFT = "l10n.draft"
MANAGE = "localization:manage"


async def draft_message(job: JobCall) -> dict[str, Any]:
    """Drafts one message, unless it is not missing any more."""
    message_id = job.payload["message_id"]
    async with job.host.data.read() as reader:
        caller = await job.principal(reader)
        if not caller.may(MANAGE):
            raise PermissionDenied(MANAGE)
        row = await reader.one(sql.missing_message, id=message_id)
    if row is None:
        return {"outcome": "dropped"}
    translator = job.host.find_service(Translator)
    if translator is None:
        raise JobFailed("no_translation", "Drafts need the plugin translation, which is not loaded.")
    try:
        draft = await make_draft(translator, caller, row["key"], row["source"], row["locale"], job.id)
    except NoDraft as reason:
        raise JobFailed("draft_refused", str(reason)) from None

    async def land(writer: Writer) -> None:
        now_ms = job.host.clock.now_ms()
        version = await writer.value(
            sql.land_draft,
            id=message_id,
            source=row["source"],
            text=draft.text,
            problem=draft.problem,
            now=now_ms,
        )
        if version is not None:
            await history.record(
                writer, message_id, version, "drafted", now_ms, user_id=job.user_id, text=draft.text
            )

    job.on_success(land)
    return {"outcome": "drafted", "problem": draft.problem}


async def _release(host: Host, writer: Writer, job: Job) -> None:
    """Lets the message be drafted anew, and leaves the reason with it where there is one."""
    message_id = job.payload["message_id"]
    if job.state == "failed" and job.error is not None:
        await writer.run(sql.note_problem, id=message_id, problem=job.error.message)
    await writer.run(sql.release_message, id=message_id, now=host.clock.now_ms())


JOB_KINDS = (
    JobKind(
        DRAFT,
        "Translates a missing message by machine.",
        handler=draft_message,
        payload=obj(
            {"message_id": string(min_length=1, max_length=64)},
            required=["message_id"],
            example={"message_id": "msg_0123456789"},
        ),
        max_attempts=3,
        timeout_seconds=900,
        public=False,
        stoppable=True,
        ended=_release,
    ),
)
