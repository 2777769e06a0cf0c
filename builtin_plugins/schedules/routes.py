"""The rows of schedules, what they take and answer, and schedules for the conformance tests."""

from typing import get_args

from builtin_plugins.schedules.schedule import FEATURE, READ, WRITE, Missed, Overlap, Skipped
from builtin_plugins.schedules.times import MAX_CRON, MAX_EVERY_SECONDS, SHOWN
from guildhall_sdk import PAGE_QUERY, Factory, Route, SampleClient
from guildhall_sdk.schema import (
    anything,
    array,
    boolean,
    enum,
    integer,
    listing,
    nullable,
    obj,
    shape,
    string,
    time,
)

_CRON = string(
    min_length=1,
    max_length=MAX_CRON,
    description="Five fields: minute, hour, day of the month, month, day of the week",
)
_EVERY = integer(
    1, MAX_EVERY_SECONDS, description="So many seconds apart; times keep their grid over restarts"
)
_ZONE = string(
    min_length=1, max_length=64, description="The clocks that cron goes by, such as Europe/Amsterdam"
)
_fields = {
    "workflow_slug": string(min_length=1, max_length=200, description="The workflow to start"),
    "cron": nullable(_CRON),
    "every_seconds": nullable(_EVERY),
    "timezone": _ZONE,
    "input": {"type": "object", "description": "The workflow's input"},
    "missed": enum(
        *get_args(Missed),
        description="What becomes of times at which nothing could start, as the server was off",
    ),
    "overlap": enum(
        *get_args(Overlap),
        description="Where the run before is still under way: leave out, wait, or cancel it",
    ),
    "enabled": boolean(description="Off, it starts nothing; what ran goes on"),
}
CREATE = obj(
    _fields,
    required=["workflow_slug"],
    example={
        "workflow_slug": "index-documents",
        "cron": "0 8 * * MON-FRI",
        "timezone": "Europe/Amsterdam",
        "missed": "last",
        "overlap": "skip",
    },
)
CHANGE = obj(_fields, example={"every_seconds": 3600, "enabled": True})
_stop = shape({"code": string(), "message": string(), "at": time()})
SCHEDULE = shape(
    {
        "id": string(),
        "workflow_slug": string(),
        "cron": nullable(string()),
        "every_seconds": nullable(integer(1)),
        "timezone": string(),
        "input": {"type": "object"},
        "missed": enum(*get_args(Missed)),
        "overlap": enum(*get_args(Overlap)),
        "enabled": boolean(),
        "next": array(time(), description=f"The next {SHOWN} times from now on, whether or not it is on"),
        "last_run_id": nullable(string()),
        "last_at": nullable(time(description="The time of the last start")),
        "last_skipped": nullable(
            enum(*get_args(Skipped), description="Why nothing started at the last time")
        ),
        "owner": nullable(
            shape({"id": string(), "name": nullable(string())}, description="The person whom its runs act as")
        ),
        "stopped": nullable({**_stop, "description": "Why it cannot go on until somebody turns it on again"}),
        "source": nullable(string(description="The plugin that ships it")),
        "name": nullable(string(description="What that plugin calls it")),
        "created_at": time(),
        "updated_at": time(),
    }
)
TIMES_QUERY = {"cron": {**_CRON, "examples": ["0 8 * * MON"]}, "every_seconds": _EVERY, "timezone": _ZONE}
# A character may be written as two escapes of six bytes.
_MAX_BODY = 1024 * 1024

ROUTES = (
    Route(
        "GET",
        "/api/schedules",
        "list_schedules",
        "The team's schedules, newest first, those of plugins too",
        permission=READ,
        feature=FEATURE,
        query=PAGE_QUERY,
        reply=listing(SCHEDULE),
    ),
    Route(
        "POST",
        "/api/schedules",
        "create_schedule",
        "Start a workflow at times: by a cron expression, or every so many seconds",
        permission=WRITE,
        feature=FEATURE,
        body=CREATE,
        reply=SCHEDULE,
        status=201,
        max_body=_MAX_BODY,
    ),
    Route(
        "GET",
        "/api/schedules/:id",
        "get_schedule",
        "A schedule with its next times",
        permission=READ,
        feature=FEATURE,
        reply=SCHEDULE,
    ),
    Route(
        "PATCH",
        "/api/schedules/:id",
        "change_schedule",
        "Change a schedule; what is left out stays",
        permission=WRITE,
        feature=FEATURE,
        body=CHANGE,
        reply=SCHEDULE,
        max_body=_MAX_BODY,
    ),
    Route(
        "DELETE",
        "/api/schedules/:id",
        "delete_schedule",
        "Delete a schedule; runs that it started remain",
        permission=WRITE,
        feature=FEATURE,
        status=204,
    ),
    Route(
        "POST",
        "/api/schedules/:id/run",
        "run_schedule",
        "Start its workflow now, as the caller",
        permission=WRITE,
        feature=FEATURE,
        reply=shape(
            {"id": string(), "state": string(), "input": anything(), "trigger_id": nullable(string())}
        ),
        status=202,
    ),
    Route(
        "GET",
        "/api/schedule-times",
        "preview_times",
        "The next times of a cron expression, or of every so many seconds from now on",
        permission=READ,
        feature=FEATURE,
        query=TIMES_QUERY,
        reply=shape({"next": array(time())}),
    ),
)

_SLUG = "sample-of-schedules"
_STEP = {"name": "find", "kind": "tool", "tool": "repo_list_unindexed"}


async def make_schedule(client: SampleClient, canary: str) -> str:
    inputs = {"note": {"type": "string", "required": False, "default": ""}}
    spec = {"slug": _SLUG, "inputs": inputs, "start": "find", "steps": [_STEP]}
    await client.call("POST", "/api/workflows", spec)
    schedule = {"workflow_slug": _SLUG, "cron": "0 3 1 1 *", "input": {"note": canary}}
    _, answer = await client.call("POST", "/api/schedules", schedule)
    return str(answer["id"])


FACTORIES = (Factory("/api/schedules/:id", make_schedule),)
