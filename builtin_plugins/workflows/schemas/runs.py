"""Runs as they come in and go out."""

from guildhall_sdk.schema import (
    anything,
    array,
    enum,
    integer,
    listing,
    nullable,
    obj,
    shape,
    string,
    time,
)

RUN_STATES = ("running", "succeeded", "failed", "cancelled")
_state = enum(*RUN_STATES)

START = obj(
    {"input": {"type": "object", "description": "What the workflow declares as its inputs"}},
    example={"input": {}},
)
RETRY = obj(
    {
        "from": enum("failed", "start", description="Where to begin: at the failed step, or anew"),
        "version": enum("same", "current", description="The version that ran, or the one that runs now"),
    },
    example={"from": "failed", "version": "same"},
)
FILTERS = {"workflow": string(min_length=1, max_length=200), "state": _state}

_STEP = shape(
    {
        "name": string(),
        "kind": enum("tool", "map", "choice"),
        "state": _state,
        "attempt": integer(1),
        "input": anything(),
        "output": anything(),
        "error": nullable(shape({"code": string(), "message": nullable(string())})),
        "items": shape(
            {"total": integer(0), "done": integer(0), "failed": integer(0), "cancelled": integer(1)},
            optional=["cancelled"],
        ),
        "started_at": time(),
        "finished_at": nullable(time()),
    },
    optional=["items"],
)
RUN = shape(
    {
        "id": string(),
        "workflow": shape({"slug": string(), "version": integer(1)}),
        "state": _state,
        "input": anything(),
        "output": anything(),
        "error": nullable(
            shape({"code": string(), "message": nullable(string()), "step": nullable(string())})
        ),
        "steps": array(_STEP),
        "steps_used": integer(0),
        "max_steps": integer(1),
        "trigger_id": nullable(string()),
        "retry_of": nullable(string()),
        "created_by": string(),
        "created_at": time(),
        "finished_at": nullable(time()),
    }
)
RUNS = listing(RUN)
