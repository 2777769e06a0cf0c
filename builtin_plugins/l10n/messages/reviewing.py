"""Review: a translation is approved or returned, by another person than its author."""

from builtin_plugins.l10n.catalogs import revision
from builtin_plugins.l10n.messages import history
from builtin_plugins.l10n.messages.message import MACHINE, SUBMITTED, Message
from builtin_plugins.l10n.messages.statements import sql
from builtin_plugins.l10n.messages.submitting import CheckIfMatch, find
from guildhall_sdk import Conflict, Forbidden, Principal, Writer

APPROVE, RETURN = "approve", "return"


async def review(
    writer: Writer,
    caller: Principal,
    message_id: str,
    action: str,
    comment: str | None,
    check_if_match: CheckIfMatch,
    now_ms: int,
) -> Message:
    """Approves the text of a message, or returns it to its author.

    The first of two reviewers decides: for the second there is nothing left to review. An author is a person,
    whatever token they come with, and so is a reviewer.
    """
    message = await find(writer, message_id, lock=True)
    check_if_match(message.etag)
    if message.status not in (SUBMITTED, MACHINE):
        raise Conflict(
            f"This message is {message.status}: only a submitted text or a machine's draft can be reviewed.",
            code="not_submitted",
            current=message.standing(),
        )
    if message.submitted_by == caller.user_id:
        raise Forbidden(
            "This translation is your own: somebody else has to review it.", code="own_translation"
        )
    binds = {"id": message.id, "version": message.version, "user_id": caller.user_id}
    await writer.run(
        sql.approve if action == APPROVE else sql.send_back, comment=comment, now=now_ms, **binds
    )
    done = "approved" if action == APPROVE else "returned"
    await history.record(
        writer,
        message.id,
        message.version + 1,
        done,
        now_ms,
        user_id=caller.user_id,
        text=message.text,
        comment=comment,
    )
    if action == APPROVE:
        await revision.bump(writer)
    writer.audit(f"translation.{done}", ("message", message.id), detail={"locale": message.locale})
    return await find(writer, message.id)
