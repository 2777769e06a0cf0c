"""Submitting a translation, and its review by another person."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial

from builtin_plugins.l10n.catalogs.policy import bump_revision
from builtin_plugins.l10n.checks import check_text
from builtin_plugins.l10n.messages.message import (
    GONE,
    MACHINE,
    MESSAGES,
    SUBMITTED,
    Message,
    record_change,
    sql,
)
from builtin_plugins.l10n.warnings import TextWarning
from guildhall_sdk import Conflict, Forbidden, NotFound, Principal, Reader, Writer
from guildhall_sdk.errors import PreconditionFailed
from guildhall_sdk.services.pages import LiveLists
from libs.fair_slots import TEXTS

CheckIfMatch = Callable[[str], None]

_TRIES = 5

APPROVE, RETURN = "approve", "return"


@dataclass(frozen=True, slots=True, eq=False)
class Submission:
    """Somebody's text for a message; `check_if_match` raises where they had read another version of it."""

    caller: Principal
    message_id: str
    text: str
    check_if_match: CheckIfMatch
    lists: LiveLists

    async def submit(
        self,
        read: Callable[[], AbstractAsyncContextManager[Reader]],
        write: Callable[[], AbstractAsyncContextManager[Writer]],
        now_ms: int,
    ) -> tuple[Message, Sequence[TextWarning]]:
        """Submits the text, and returns the message and what may deserve a second look.

        Raises `PreconditionFailed` with both texts, and what `check_text` refuses.
        """
        for _ in range(_TRIES):
            async with read() as reader:
                message = await find(reader, self.message_id)
            self._check_version(message)
            checked = await TEXTS.run(
                self.caller.org_id, check_text, message.source, self.text, message.locale
            )
            async with write() as writer:
                locked = await find(writer, self.message_id, lock=True)
                self._check_version(locked)
                if locked.source == message.source:
                    return await self._store(writer, locked, now_ms), checked.warnings
        raise Conflict("The source changes all the time; try again.", code="busy")

    def _check_version(self, message: Message) -> None:
        try:
            self.check_if_match(message.etag)
        except PreconditionFailed:
            raise PreconditionFailed(
                "The message changed since you read it. Compare both texts, and submit with its new version.",
                current=message.standing(),
                yours=self.text,
                headers={"ETag": message.etag},
            ) from None

    async def _store(self, writer: Writer, message: Message, now_ms: int) -> Message:
        who = self.caller.user_id
        await writer.run(
            sql.submit_text,
            id=message.id,
            version=message.version,
            text=self.text,
            user_id=who,
            now=now_ms,
        )
        await record_change(
            writer, message.id, message.version + 1, "submitted", now_ms, user_id=who, text=self.text
        )
        writer.after_commit(partial(self.lists.changed, MESSAGES))
        writer.audit("translation.submitted", ("message", message.id), detail={"locale": message.locale})
        return await find(writer, message.id)


async def find(reader: Reader, message_id: str, *, lock: bool = False) -> Message:
    """Returns a message whose key is in the source; raises `NotFound` for any other."""
    row = await reader.one(sql.lock_message if lock else sql.message, id=message_id)
    if row is None or row["status"] == GONE:
        raise NotFound()
    return Message.from_row(row)


async def review(
    writer: Writer,
    caller: Principal,
    message_id: str,
    action: str,
    *,
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
    await record_change(
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
        await bump_revision(writer)
    writer.audit(f"translation.{done}", ("message", message.id), detail={"locale": message.locale})
    return await find(writer, message.id)
