"""Reading the text of an object now, for whoever cannot wait for the job that does."""

from dataclasses import replace

from builtin_plugins.repo import finding
from builtin_plugins.repo.extraction import Outcome
from builtin_plugins.repo.texts import Texts
from guildhall_sdk import Host, Principal
from guildhall_sdk.services.stored_objects import ReadText, TextPending

# When a job that waits asks again: for a reader, and for an operator.
READER_SECONDS, OPERATOR_SECONDS = 30, 600


async def read_text(host: Host, texts: Texts, caller: Principal, object_id: str) -> ReadText:
    """Returns the text of the newest version; one that is read already is not read again."""
    async with host.data.read() as reader:
        record = await finding.readable(reader, caller, object_id, host.clock.now_ms())
        current = await texts.current(reader, record)
        if current.number != record.newest.number:  # overwritten between the two
            record = await finding.readable(reader, caller, object_id, host.clock.now_ms())
    if current.text is not None and current.number == record.newest.number:
        return ReadText(replace(record.stored(), text_status="indexed"), current.text)
    if record.text_status not in ("pending", "stale"):
        why = "is empty or broken" if record.text_status == "none" else "is of a type that has no text"
        return ReadText(record.stored(), None, why)
    found = await texts.read(record.newest)
    if found.outcome is Outcome.FAILED:
        raise TextPending(f"The document {found.reason or 'could not be read'}; try again.", READER_SECONDS)
    if found.outcome is Outcome.UNCONFINED:
        detail = "This server cannot confine what reads documents; its operator must decide."
        raise TextPending(detail, OPERATOR_SECONDS)
    prepared = await texts.prepare(record.org_id, record.key, found.text)
    async with host.data.write(within=caller.org_id) as writer:
        kept = await texts.keep(writer, caller, record.newest, found, prepared)
    # What was read is of the version that was there; a newer one waits for its own job.
    status = kept.text_status if kept.newest.id == record.newest.id else record.text_status
    return ReadText(replace(record.stored(), text_status=status), found.text, found.reason)
