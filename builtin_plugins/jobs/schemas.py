"""Jobs as they come in and go out, and what pull workers send and get."""

from guildhall_sdk.jobs import HIGHEST_PRIORITY, JOB_STATES, LOWEST_PRIORITY
from guildhall_sdk.schema import (
    anything,
    array,
    boolean,
    enum,
    integer,
    listing,
    nullable,
    number,
    obj,
    shape,
    string,
    time,
)

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
        "error": nullable(shape({"code": string(), "message": nullable(string())})),
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

# Room for the longest reply of a model and some.
MAX_RESULT = 8 * 1024 * 1024

_names = array(string(min_length=1, max_length=200), maxItems=200)
# Left out, it is stale like any other that is not the current one.
_claim_token = nullable(string(max_length=200))
_code = string(min_length=1, max_length=100)
_message = string(max_length=20_000)

CLAIM = obj(
    {
        "kinds": {**_names, "minItems": 1},
        "models": nullable(_names),
        "max_wait": number(minimum=0, maximum=LONGEST_WAIT, description="Seconds to wait for a job"),
    },
    required=["kinds"],
    example={"kinds": ["x.integrator-demo.lane-report"], "max_wait": 0},
)
HEARTBEAT = obj(
    {"claim_token": _claim_token, "progress": number(minimum=0, maximum=1)},
    example={"claim_token": "1.0123456789abcdef01234567", "progress": 0.5},
)
COMPLETE = obj(
    {"claim_token": _claim_token, "result": anything()},
    required=["result"],
    example={"claim_token": "1.0123456789abcdef01234567", "result": {"lane": "hamburg-shanghai", "days": 32}},
)
FAIL = obj(
    {
        "claim_token": _claim_token,
        "error": {
            "anyOf": [_message, obj({"code": _code, "message": _message}, required=["code", "message"])]
        },
        "retry": boolean(description="Try again, while attempts remain"),
        "retry_after": integer(
            0, 24 * 3600, description="Put it off for so many seconds, and use up no attempt"
        ),
    },
    required=["error"],
    example={"claim_token": "1.0123456789abcdef01234567", "error": "The lane is closed."},
)

_lease = shape({"seconds": integer(1), "expires_at": time()})
LEASE = shape({"lease": _lease})
CLAIMED = shape(
    {
        "id": string(),
        "kind": string(),
        "payload": anything(),
        "attempt": integer(1),
        "team_id": string(),
        "lease": _lease,
        "claim_token": string(),
    }
)
ENDED = shape({"id": string()})
