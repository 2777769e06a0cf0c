"""The step `wait`: for some time, until a time, for an event, or for a call from outside."""

import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from builtin_plugins.workflows.runs.events import EndsOfJobs, check_event
from builtin_plugins.workflows.runs.waits import EVENT_KEY
from guildhall_sdk import UserError, Writer, rfc3339
from guildhall_sdk.schema import integer, string
from guildhall_sdk.services.workflows import StepCall, StepKind, StepWait
from guildhall_sdk.subscriptions import JOB_ENDED

HOOK_KEY = "hook:"
HOOK_PATH = "/hooks/waits/"
_BINDING = {"$ref": "#/$defs/binding"}
_WAYS = ("seconds", "until", "event", "hook")
_LONGEST_SECONDS = 366 * 24 * 3600
_LATE = ("wait_timeout", "What the step waited for did not come in time.")


async def _wait(call: StepCall) -> StepWait:
    fields, host = call.fields, call.job.host
    now = host.clock.now_ms()
    timeout = fields.get("timeout_seconds")
    ends_at = None if timeout is None else now + 1000 * timeout
    if "event" in fields:
        check_event(host, fields["event"])
        if fields["event"] == JOB_ENDED.name:
            job = call.job

            async def hear(writer: Writer) -> None:
                host.service(EndsOfJobs).awaited(writer, job.team_id)

            job.on_success(hear)
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
    if "match" in fields and "event" not in fields:
        yield "match", "is for an event alone"
    if "timeout_seconds" in fields and not fields.keys() & {"event", "hook"}:
        yield "timeout_seconds", "is for an event or a hook alone"


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
