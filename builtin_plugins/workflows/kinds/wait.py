"""The step `wait`: for some time, until a time, for an event, or for a call from outside."""

import json
import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from builtin_plugins.workflows.runs.engine import RunEngine
from builtin_plugins.workflows.runs.statements import event_sql, store_sql
from builtin_plugins.workflows.runs.waits import EVENT_KEY
from guildhall_sdk import Event, EventCall, Reader, Subscription, UserError, Writer, rfc3339
from guildhall_sdk import subscriptions as known
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.schema import integer, string
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.services.workflows import StepCall, StepKind, StepWait
from libs.records import content_of

HOOK_KEY = "hook:"
HOOK_PATH = "/hooks/waits/"
_BINDING = {"$ref": "#/$defs/binding"}
_WAYS = ("seconds", "until", "event", "hook")
_LONGEST_SECONDS = 366 * 24 * 3600
_LATE = ("wait_timeout", "What the step waited for did not come in time.")
#: What can be waited for. The ends of jobs are not: each step is one.
EVENTS: tuple[Event, ...] = (
    known.OBJECT_WRITTEN,
    known.OBJECT_MOVED,
    known.OBJECT_DELETED,
    known.NOTE_CHANGED,
    known.MEMBER_JOINED,
    known.MEMBER_LEFT,
    known.MEMBER_SUSPENDED,
    known.MEMBER_RESUMED,
    known.RUN_ENDED,
)
_NAMES = frozenset(event.name for event in EVENTS)


async def _wait(call: StepCall) -> StepWait:
    fields, host = call.fields, call.job.host
    now = host.clock.now_ms()
    timeout = fields.get("timeout_seconds")
    ends_at = None if timeout is None else now + 1000 * timeout
    if "event" in fields:
        return StepWait(
            key=f"{EVENT_KEY}{fields['event']}", until=ends_at, error=_LATE, match=fields.get("match", {})
        )
    if "hook" in fields:
        token = secrets.token_urlsafe(24)
        url = f"{host.settings.base_url}{HOOK_PATH}{token}"
        return StepWait(key=f"{HOOK_KEY}{token}", until=ends_at, error=_LATE, output={"url": url})
    until = _until(fields["until"]) if "until" in fields else now + _milliseconds(fields.get("seconds"))
    return StepWait(until=until, result={"until": rfc3339(until)})


def _milliseconds(seconds: Any) -> int:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise UserError("seconds is a number.", code="invalid_wait")
    if not 0 <= seconds <= _LONGEST_SECONDS:
        raise UserError(f"seconds is 0 to {_LONGEST_SECONDS}.", code="invalid_wait")
    return round(1000 * seconds)


def _until(text: Any) -> int:
    try:
        at = datetime.fromisoformat(text)
        if at.tzinfo is None:
            raise ValueError
        return max(0, round(1000 * at.timestamp()))
    except (TypeError, ValueError, OverflowError):
        raise UserError(
            "until is a time such as 2030-01-31T09:00:00Z, with its zone.", code="invalid_wait"
        ) from None


def _check(fields: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    named = [way for way in _WAYS if way in fields]
    if len(named) != 1:
        yield (named[1] if named else "seconds"), f"name exactly one of {', '.join(_WAYS)}"
    for way, read in (("seconds", _milliseconds), ("until", _until)):
        if way in fields and not isinstance(fields[way], dict):
            try:
                read(fields[way])
            except UserError as wrong:
                yield way, wrong.detail
    if "event" in fields and fields["event"] not in _NAMES:
        yield "event", f"must be one of {', '.join(sorted(_NAMES))}"
    if "match" in fields and "event" not in fields:
        yield "match", "is for an event alone"
    if "timeout_seconds" in fields and not fields.keys() & {"event", "hook"}:
        yield "timeout_seconds", "is for an event or a hook alone"


async def _end_waits(call: EventCall) -> None:
    """Has the steps of the event's team go on that wait for it, once with the end of the delivery."""
    data = content_of(call.payload)
    event = {**data, "type": call.event, "timestamp": rfc3339(call.at), "data": data}
    waits, team_id = call.host.service(RunEngine).waits, call.origin.team_id

    async def may_hear(writer: Writer, run_id: str) -> bool:
        return await _may_hear(call, writer, run_id)

    async def fire(writer: Writer) -> None:
        key = f"{EVENT_KEY}{call.event}"
        await waits.fire(writer, team_id, key, {"event": event}, data=data, begun_by=call.at, may=may_hear)

    call.on_success(fire)


async def _may_hear(call: EventCall, reader: Reader, run_id: str) -> bool:
    """Tells whether whoever a run acts as may hear of the event now."""
    host, team_id = call.host, call.origin.team_id
    events = host.service(Plugins).declared(Event)
    readable = next((one.readable for one in events if one.name == call.event), None)
    run = await reader.one(store_sql.run, id=run_id, team_id=team_id)
    if run is None or readable is None:
        return run is not None
    scope = None if run["scope"] is None else frozenset(json.loads(run["scope"]))
    who = await host.service(Credentials).acting(
        reader, user_id=run["created_by"], team_id=team_id, scope=scope, asked_with=run["asked_with"]
    )
    return who is not None and await readable(host, reader, who, call.payload)


SUBSCRIPTIONS = tuple(
    Subscription(
        name=f"waits-for-{event.name.replace('.', '-')}",
        event=event.name,
        handler=_end_waits,
        doc="Has runs go on that wait for the event.",
        optional=True,
        wanted=getattr(event_sql, event.name.replace(".", "_")),
        possible=event_sql.any_of_team,
    )
    for event in EVENTS
)

WAIT = StepKind(
    name="wait",
    doc="Waits for some seconds, until a time, for an event, or for a call of its address.",
    run=_wait,
    fields={
        "seconds": _BINDING,
        "until": _BINDING,
        "event": string(min_length=1, max_length=200),
        "match": {"$ref": "#/$defs/arguments"},
        "hook": {"const": True},
        "timeout_seconds": integer(1, _LONGEST_SECONDS),
    },
    check=_check,
)
