"""Drafts: a model translates missing messages in jobs, each within its own frame and as whoever asked."""

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from builtin_plugins.l10n.catalogs.tags import SOURCE
from builtin_plugins.l10n.checks import CheckedText, check_text
from builtin_plugins.l10n.messages.message import MESSAGES, record_change
from builtin_plugins.l10n.segments import NoDraft, Segments, take_apart
from guildhall_sdk import (
    Host,
    InvalidRequest,
    Job,
    JobCall,
    JobFailed,
    JobKind,
    NewJob,
    PermissionDenied,
    Principal,
    Writer,
    load_queries,
)
from guildhall_sdk.schema import obj, string
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.localization import TranslatedCatalog, Translator
from guildhall_sdk.services.pages import LiveLists
from libs.fair_slots import TEXTS

sql = load_queries(Path(__file__).with_name("drafts.sql"))

# What a person may have good reasons for, and a model seldom has.
_REFUSED = ("markup", "script", "length")
_MAX_PROBLEM = 1_000

DRAFT = "l10n.draft"
MANAGE = "localization:manage"
BATCH = 20
# A job may be put off for a day. One of a company that is suspended waits for longer, and holds up nobody.
_LAPSE_MS = 25 * 3_600_000


class Draft(NamedTuple):
    """A text that passed the checks, and what is to be said of it to whoever reviews it."""

    text: str
    problem: str | None


async def make_draft(
    translator: Translator, caller: Principal, key: str, source: str, locale: str, within: str
) -> Draft:
    """Translates a message by the glossary of the caller's team, metered as any turn. Not inside a scope.

    Raises `NoDraft` where nothing comes of it, and what `Translator` raises.
    """
    segments = await TEXTS.run(caller.org_id, take_apart, key, source, locale)
    made = await translator.translate_catalog(caller, segments.texts, locale, source=SOURCE, within=within)
    for key, message in made.problems.items():
        raise NoDraft(f"{key}: {message}"[:_MAX_PROBLEM])
    return await TEXTS.run(caller.org_id, _checked_draft, segments, made, source, locale)


def _checked_draft(segments: Segments, made: TranslatedCatalog, source: str, locale: str) -> Draft:
    text = segments.put_together(made.messages)
    try:
        checked = check_text(source, text, locale)
    except InvalidRequest as refusal:
        raise NoDraft(f"The draft does not fit its source: {refusal.errors[0]['message']}") from None
    if not made.untranslated:
        for warning in checked.warnings:
            if warning.code in _REFUSED:
                raise NoDraft(f"The draft was not taken: it {warning.message}")
    return Draft(text, _remarks(made, checked))


def _remarks(made: TranslatedCatalog, checked: CheckedText) -> str | None:
    if made.untranslated:
        return "No model is configured: only the glossary was applied, and the rest is not translated."
    remarks = [warning.message for warning in checked.warnings]
    remarks += [
        f"does not say {use.translation!r} for {use.term!r}, as the glossary does"
        for uses in made.missed.values()
        for use in uses
    ]
    return f"The draft {'; '.join(dict.fromkeys(remarks))}"[:_MAX_PROBLEM] if remarks else None


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

    async def store_draft(writer: Writer) -> None:
        now_ms = job.host.clock.now_ms()
        version = await writer.value(
            sql.store_draft,
            id=message_id,
            source=row["source"],
            text=draft.text,
            problem=draft.problem,
            now=now_ms,
        )
        if version is not None:
            writer.after_commit(partial(job.host.service(LiveLists).changed, MESSAGES))
            await record_change(
                writer, message_id, version, "drafted", now_ms, user_id=job.user_id, text=draft.text
            )

    job.on_success(store_draft)
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


class Queued(NamedTuple):
    """The jobs of one batch, and how many missing messages no job is under way for."""

    jobs: tuple[str, ...]
    remaining: int
    open: bool

    def public(self) -> dict[str, Any]:
        """Returns the batch as the API shows it."""
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
