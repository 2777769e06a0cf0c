"""Jobs as they come in and go out."""

from guildhall_sdk.jobs import HIGHEST_PRIORITY, JOB_STATES, LOWEST_PRIORITY
from guildhall_sdk.schema import anything, enum, integer, listing, nullable, number, obj, shape, string, time

LONGEST_WAIT = 30

_kind = string(min_length=1, max_length=200, description="A registered kind; GET /api/plugins lists them")
_state = enum(*JOB_STATES)

ENQUEUE = obj(
    {
        "kind": _kind,
        "payload": anything(description="What the kind works on"),
        "run_at": time(description="Not before this time"),
        "priority": integer(
            LOWEST_PRIORITY, HIGHEST_PRIORITY, description="Of the team's waiting jobs, higher goes first"
        ),
    },
    required=["kind"],
    example={"kind": "x.example-tools.word-count", "payload": {"text": "one two three"}},
)
WAIT = {
    "wait": number(minimum=0, maximum=LONGEST_WAIT, description="Seconds to wait for the job to end"),
}
FILTERS = {"state": _state, "kind": _kind}

JOB = shape(
    {
        "id": string(),
        "kind": string(),
        "state": _state,
        "payload": anything(),
        "result": anything(),
        "error": nullable(shape({"code": string(), "message": string()})),
        "attempt": integer(0),
        "max_attempts": integer(1),
        "progress": nullable(number(minimum=0, maximum=1)),
        "executor": nullable(string()),
        "team_id": string(),
        "user_id": string(),
        "created_at": time(),
        "started_at": nullable(time()),
        "finished_at": nullable(time()),
    }
)
JOBS = listing(JOB)
