"""How an answer ended, and that it is written once, in the transaction that ends its job."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builtin_plugins.conversations import tools
from builtin_plugins.conversations.events import DONE, MESSAGE, NewEvent, add
from builtin_plugins.conversations.message import Message, encoded, sql, words_of
from builtin_plugins.conversations.tools import Call
from guildhall_sdk import Host, Writer


@dataclass(frozen=True, slots=True)
class Ended:
    """How an answer ended."""

    state: str
    parts: Sequence[dict[str, Any]]
    calls: Sequence[Call]
    citations: Sequence[dict[str, Any]] = ()
    model: str | None = None
    usage: Any = None
    error: Mapping[str, Any] | None = None
    progress: Mapping[str, Any] | None = None

    async def store(self, host: Host, writer: Writer, message: Message) -> None:
        """Writes it, in the transaction that ends the job; nothing where the answer ended before."""
        parts, calls = encoded(self.parts), encoded([tools.ended(call) for call in self.calls])
        found = encoded(self.citations)
        gone = await writer.one(
            sql.end,
            id=message.id,
            org_id=message.org_id,
            state=self.state,
            model=self.model,
            usage=None if self.usage is None else encoded(self.usage),
            error=None if self.error is None else encoded(self.error),
            progress=None if self.progress is None else encoded(self.progress),
            tools=calls,
            citations=found,
            parts=parts,
            words=words_of(self.parts),
            size=len(parts) + len(calls) + len(found),
        )
        if gone is None:
            return
        where = (message.org_id, message.conversation_id)
        events = [NewEvent(MESSAGE, message.id), NewEvent(DONE, message.id)]
        await add(writer, host, where, events, host.clock.now_ms())
