"""Submitting a translation, which another person then reviews."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from builtin_plugins.l10n.checks import judge_text
from builtin_plugins.l10n.messages import history
from builtin_plugins.l10n.messages.message import GONE, Message
from builtin_plugins.l10n.messages.statements import sql
from builtin_plugins.l10n.second_looks import TextWarning
from guildhall_sdk import Conflict, NotFound, Principal, Reader, Writer
from guildhall_sdk.errors import PreconditionFailed
from libs.fair_slots import TEXTS

CheckIfMatch = Callable[[str], None]

_TRIES = 5


@dataclass(frozen=True, slots=True)
class Submission:
    """Somebody's text for a message; `check_if_match` raises where they had read another version of it."""

    caller: Principal
    message_id: str
    text: str
    check_if_match: CheckIfMatch

    async def submit(
        self,
        read: Callable[[], AbstractAsyncContextManager[Reader]],
        write: Callable[[], AbstractAsyncContextManager[Writer]],
        now_ms: int,
    ) -> tuple[Message, Sequence[TextWarning]]:
        """Submits the text, and returns the message and what may deserve a second look.

        Raises `PreconditionFailed` with both texts, and what `judge_text` refuses.
        """
        for _ in range(_TRIES):
            async with read() as reader:
                message = await find(reader, self.message_id)
            self._check_version(message)
            judged = await TEXTS.run(
                self.caller.org_id, judge_text, message.source, self.text, message.locale
            )
            async with write() as writer:
                locked = await find(writer, self.message_id, lock=True)
                self._check_version(locked)
                if locked.source == message.source:
                    return await self._store(writer, locked, now_ms), judged.warnings
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
        await history.record(
            writer, message.id, message.version + 1, "submitted", now_ms, user_id=who, text=self.text
        )
        writer.audit("translation.submitted", ("message", message.id), detail={"locale": message.locale})
        return await find(writer, message.id)


async def find(reader: Reader, message_id: str, *, lock: bool = False) -> Message:
    """Returns a message whose key is in the source; raises `NotFound` for any other."""
    row = await reader.one(sql.lock_message if lock else sql.message, id=message_id)
    if row is None or row["status"] == GONE:
        raise NotFound()
    return Message.from_row(row)
