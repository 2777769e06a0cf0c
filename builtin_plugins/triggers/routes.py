"""The rows of triggers, what they take and answer, and triggers for the conformance tests."""

from typing import get_args

from builtin_plugins.triggers.firing import DIMENSIONS
from builtin_plugins.triggers.trigger import MAX_PREFIX_BYTES, MAX_TYPE, MAX_TYPES, Reason
from guildhall_sdk import PAGE_QUERY, Factory, Route, SampleClient
from guildhall_sdk.schema import array, boolean, enum, integer, listing, nullable, obj, shape, string, time

_fields = {
    "workflow_slug": string(min_length=1, max_length=200, description="The workflow to start"),
    "match_prefix": string(
        max_length=MAX_PREFIX_BYTES, description="What the key begins with; empty for every key"
    ),
    "match_types": array(
        string(min_length=1, max_length=MAX_TYPE),
        maxItems=MAX_TYPES,
        description="Media types, such as text/plain, text/* or */*; none is any",
    ),
    "input": {
        "type": "object",
        "description": "The workflow's input; object_id is added where the workflow declares it",
    },
    "fire_on_derived": boolean(description="Also for documents that were made from others"),
    "enabled": boolean(description="Off, it matches nothing that is written; its history stays"),
}
CREATE = obj(
    _fields,
    required=["workflow_slug"],
    example={"workflow_slug": "index-documents", "match_prefix": "inbox/", "match_types": ["text/*"]},
)
CHANGE = obj(_fields, example={"match_prefix": "inbox/2026/", "fire_on_derived": True})

_trigger = {
    "id": string(),
    "workflow_slug": string(),
    "match_prefix": string(),
    "match_types": array(string()),
    "input": {"type": "object"},
    "fire_on_derived": boolean(),
    "enabled": boolean(),
    "created_by": string(description="The id of whoever created it; a run acts as whoever uploads"),
    "created_at": time(),
    "updated_at": time(),
}
TRIGGER = shape(_trigger)
_warnings = array(
    shape({"pointer": string(), "message": string()}),
    description="What the workflow, as it is now, would refuse of the input: fires would be skipped",
)
WRITTEN = shape({**_trigger, "warnings": _warnings})
_budget = shape(
    {
        "limit": nullable(integer(0)),
        "used": integer(0),
        "remaining": nullable(integer(0)),
        "window": string(),
        "resets_at": nullable(time()),
    },
    description="The tightest limit of the team and its company; null is none",
)
TRIGGERS = listing(TRIGGER, budget=shape(dict.fromkeys(DIMENSIONS, _budget), optional=DIMENSIONS))
_fire = shape(
    {
        "id": string(),
        "object_id": string(),
        "key": nullable(string(description="null for whoever may not read the object, or no longer can")),
        "version": integer(1),
        "outcome": enum("started", "skipped"),
        "run_id": nullable(string()),
        "reason": nullable(enum(*get_args(Reason))),
        "at": time(),
    }
)
FIRES_QUERY = {"fires_cursor": string(max_length=512, description="`fires_cursor` of the answer before")}
TRIGGER_WITH_FIRES = shape({**_trigger, "fires": array(_fire), "fires_cursor": nullable(string())})


READ, WRITE, FEATURE = "workflows:read", "workflows:write", "workflows"
# A character may be written as two escapes of six bytes.
_MAX_BODY = 1024 * 1024

ROUTES = (
    Route(
        "GET",
        "/api/doc-triggers",
        "list_triggers",
        "The team's triggers, newest first, and what is left of its AI budget",
        permission=READ,
        feature=FEATURE,
        query=PAGE_QUERY,
        reply=TRIGGERS,
    ),
    Route(
        "POST",
        "/api/doc-triggers",
        "create_trigger",
        "Start a workflow for every object that is written from now on and matches",
        permission=WRITE,
        feature=FEATURE,
        body=CREATE,
        reply=WRITTEN,
        status=201,
        max_body=_MAX_BODY,
    ),
    Route(
        "GET",
        "/api/doc-triggers/:id",
        "get_trigger",
        "A trigger with what became of the versions that it matched, newest first",
        permission=READ,
        feature=FEATURE,
        query=FIRES_QUERY,
        reply=TRIGGER_WITH_FIRES,
    ),
    Route(
        "PATCH",
        "/api/doc-triggers/:id",
        "change_trigger",
        "Change a trigger; what is left out stays",
        permission=WRITE,
        feature=FEATURE,
        body=CHANGE,
        reply=WRITTEN,
        max_body=_MAX_BODY,
    ),
    Route(
        "DELETE",
        "/api/doc-triggers/:id",
        "delete_trigger",
        "Delete a trigger with its history; runs that it started remain",
        permission=WRITE,
        feature=FEATURE,
        status=204,
    ),
)


_SLUG = "sample-of-triggers"
_STEP = {"name": "find", "kind": "tool", "tool": "repo_list_unindexed"}


async def make_trigger(client: SampleClient, canary: str) -> str:
    await client.call("POST", "/api/workflows", {"slug": _SLUG, "start": "find", "steps": [_STEP]})
    trigger = {"workflow_slug": _SLUG, "match_prefix": canary, "input": {"note": canary}}
    _, answer = await client.call("POST", "/api/doc-triggers", trigger)
    return str(answer["id"])


FACTORIES = (Factory("/api/doc-triggers/:id", make_trigger),)
