"""What happened in a hall, and who heard of it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from guildhall_sdk import Event, JobCall, Origin, Row, Writer
from kernel.events.deliveries import Deliveries
from kernel.events.outbox import Listener, Outbox, encoded_content, sql


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """An event whose transaction committed."""

    name: str
    payload: Any
    origin: Origin
    depth: int


@dataclass(frozen=True, slots=True)
class Delivered:
    """One attempt at one delivery, and how it went."""

    subscription: str
    event: str
    payload: Any
    attempt: int
    error: str | None


class EventLog:
    """Every event whose transaction committed, subscribed to or not, and every attempt to deliver one."""

    def __init__(self, outbox: Outbox, deliveries: Deliveries) -> None:
        self._recorded: list[RecordedEvent] = []
        self._delivered: list[Delivered] = []
        self._under_way: dict[str, Delivered] = {}
        self._watch_outbox(outbox)
        self._watch_deliveries(deliveries)

    def _watch_outbox(self, outbox: Outbox) -> None:
        emit = outbox.emit_deep

        async def emit_deep(
            writer: Writer,
            event: Event,
            happened: Iterable[tuple[Any, Origin, int]],
            facts: Mapping[str, Any] = {},
        ) -> Sequence[Mapping[str, Any]]:
            happened = list(happened)
            lost = await emit(writer, event, happened, facts)
            for payload, origin, depth in happened:
                encoded_content(event, payload)  # also of what nobody subscribed to
                recorded = RecordedEvent(event.name, payload, origin, depth + 1)
                writer.after_commit(partial(self._recorded.append, recorded))
            return lost

        outbox.wanted = lambda event: True  # type: ignore[method-assign]
        outbox.emit_deep = emit_deep  # type: ignore[method-assign]

    def _watch_deliveries(self, deliveries: Deliveries) -> None:
        deliver, ended = deliveries.deliver, deliveries.jobs_ended

        async def note_and_deliver(listener: Listener, job: JobCall) -> None:
            content = job.payload
            attempt = Delivered(job.kind, content["event"], content["payload"], job.attempt, None)
            self._under_way[job.id] = attempt
            await deliver(listener, job)

        async def jobs_ended(writer: Writer, rows: Sequence[Row]) -> None:
            await self._note_ends(writer, [row for row in rows if row["id"] in self._under_way])
            await ended(writer, rows)

        deliveries.deliver = note_and_deliver  # type: ignore[method-assign]
        deliveries.jobs_ended = jobs_ended  # type: ignore[method-assign]

    async def _note_ends(self, writer: Writer, rows: Sequence[Row]) -> None:
        """Notes attempts as they are recorded: what an effect raised is known only now."""
        failed = [row["id"] for row in rows if row["state"] != "succeeded"]
        found = await writer.all(sql.error_codes, ids=json.dumps(failed)) if failed else ()
        codes = {row["id"]: row["error_code"] or "failed" for row in found}
        ends = {row["id"]: replace(self._under_way[row["id"]], error=codes.get(row["id"])) for row in rows}

        def note() -> None:
            for job_id, end in ends.items():
                self._under_way.pop(job_id, None)
                self._delivered.append(end)

        writer.after_commit(note)

    def recorded(self, name: str | None = None) -> list[RecordedEvent]:
        """Returns the events of this name, or all, in order: `name`, `payload`, `origin` and `depth`."""
        return [event for event in self._recorded if name in (None, event.name)]

    def delivered(self, name: str | None = None) -> list[Delivered]:
        """Returns the attempts that have ended: `subscription`, `event`, `payload`, `attempt` and `error`.

        `error` is the code that the job has for it, and None for what was delivered with its effects.
        """
        return [delivered for delivered in self._delivered if name in (None, delivered.event)]

    def clear(self) -> None:
        """Forgets what happened so far."""
        self._recorded.clear()
        self._delivered.clear()
