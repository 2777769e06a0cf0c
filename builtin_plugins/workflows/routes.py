"""The rows of workflows and runs, and what they take and answer."""

from builtin_plugins.workflows.approvals.routes import APPROVAL_ROUTES
from builtin_plugins.workflows.definitions import READ, RUN, WORKFLOWS, WRITE
from builtin_plugins.workflows.spec.format import MAX_STEP_COUNT, MAX_STEPS, MAX_VERSION
from guildhall_sdk import PAGE_QUERY, Auth, Route
from guildhall_sdk.replies import EVENT_STREAM
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
from libs.names import NAME_MAX

SLUG_MAX = 64
# Every character of a spec may be written as an escape of six bytes.
MAX_BODY = 2 * 1024 * 1024

_EXAMPLE = {
    "slug": "read-documents",
    "name": "Read documents",
    "start": "find",
    "max_steps": 50,
    "steps": [
        {"name": "find", "kind": "tool", "tool": "repo_list_unindexed"},
        {
            "name": "extract",
            "kind": "map",
            "over": {"$from": "steps.find.output.result"},
            "tool": "repo_extract_text",
            "with": {"id": {"$from": "item"}},
            "end": True,
        },
    ],
}

#: The outline alone: what stands in a step is checked by the format, once its size is known to be bearable.
PUBLISH = obj(
    {
        "slug": string(min_length=1, max_length=SLUG_MAX),
        "version": integer(1, MAX_VERSION, description="Taken and ignored: the server counts"),
        "name": string(min_length=1, max_length=NAME_MAX),
        "inputs": {"type": "object", "description": "Inputs by name, as GET /api/workflows/schema says"},
        "start": string(min_length=1, max_length=64, description="The name of the first step"),
        "max_steps": integer(
            1, MAX_STEPS, description="How many jobs a run may take, items of maps included"
        ),
        "steps": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_STEP_COUNT,
            "description": "Steps, as GET /api/workflows/schema says",
        },
    },
    required=["slug", "start", "steps"],
    example=_EXAMPLE,
)

_FIELDS = {
    "id": string(),
    "slug": string(),
    "version": integer(1),
    "name": string(),
    "source": nullable(string(description="The plugin that ships it; null for one of the team's own")),
    "enabled": boolean(description="Whether runs of it can be started"),
    "max_steps": integer(1, MAX_STEPS),
    "inputs": {
        "type": "object",
        "additionalProperties": shape(
            {"type": string(), "required": boolean(), "default": anything()}, optional=["required", "default"]
        ),
    },
    "published_by": nullable(string(description="The id of whoever published it")),
    "created_at": time(),
}
_SPEC = {"type": "object", "description": "As GET /api/workflows/schema says"}
_WARNING = shape({"pointer": string(description="Where in the spec"), "message": string()})

DEFINITIONS = listing(shape(_FIELDS))
DEFINITION = shape({**_FIELDS, "spec": _SPEC, "warnings": array(_WARNING)})
FORMAT = shape(
    {
        "version": integer(1),
        "schema": {"type": "object", "description": "JSON Schema 2020-12"},
        "step_kinds": array(shape({"kind": string(), "doc": string(), "output": nullable(string())})),
        "references": array(shape({"reference": string(), "doc": string()})),
        "predicates": array(shape({"predicate": string(), "operands": integer(1, 2), "doc": string()})),
        "input_types": array(string()),
        "limits": {"type": "object", "additionalProperties": integer(1)},
    }
)

RUN_STATES = ("running", "succeeded", "failed", "cancelled")
_state = enum(*RUN_STATES)
_step_state = enum("running", "waiting", "succeeded", "failed", "cancelled")

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
        "kind": string(description="One of the kinds of GET /api/workflows/schema"),
        "state": _step_state,
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
RUN_REPLY = shape(
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
RUNS = listing(RUN_REPLY)

DEFINITION_ROUTES: tuple[Route, ...] = (
    Route(
        "POST",
        "/api/workflows",
        "publish_workflow",
        "Publish a spec; a slug that is there already gets a new version",
        permission=WRITE,
        feature=WORKFLOWS,
        body=PUBLISH,
        reply=DEFINITION,
        status=201,
        max_body=MAX_BODY,
    ),
    Route(
        "GET",
        "/api/workflows",
        "list_workflows",
        "The team's workflows by slug, those of plugins too, each in its current version",
        permission=READ,
        feature=WORKFLOWS,
        query=PAGE_QUERY,
        reply=DEFINITIONS,
    ),
    Route(
        "GET",
        "/api/workflows/schema",
        "describe_format",
        "The format of a spec, for editors: its number, JSON Schema, references, predicates and limits",
        auth=Auth.PUBLIC,
        reply=FORMAT,
    ),
    Route(
        "GET",
        "/api/workflows/:slug",
        "read_workflow",
        "One workflow with its spec, in its current version or in the one that is named",
        permission=READ,
        feature=WORKFLOWS,
        query={"version": integer(1, MAX_VERSION, description="A version that the team has")},
        reply=DEFINITION,
    ),
    Route(
        "PATCH",
        "/api/workflows/:slug",
        "change_workflow",
        "Turn a workflow off or on: runs that began go on",
        permission=WRITE,
        feature=WORKFLOWS,
        body=obj({"enabled": boolean()}, required=["enabled"], example={"enabled": True}),
        reply=DEFINITION,
    ),
    Route(
        "DELETE",
        "/api/workflows/:slug",
        "delete_workflow",
        "Delete what the team published under a slug; its runs stay",
        permission=WRITE,
        feature=WORKFLOWS,
        status=204,
    ),
    Route(
        "POST",
        "/api/workflow-checks",
        "check_workflow",
        "What would be refused of a spec, and what to know before it is run; nothing is published",
        permission=WRITE,
        feature=WORKFLOWS,
        body=obj({"spec": anything()}, required=["spec"], example={"spec": _EXAMPLE}),
        reply=shape({"problems": array(_WARNING), "warnings": array(_WARNING)}),
        max_body=MAX_BODY,
    ),
    Route(
        "GET",
        "/api/workflow-templates",
        "list_templates",
        "Workflows to begin with, shipped as data",
        permission=READ,
        feature=WORKFLOWS,
        reply=listing(shape({"slug": string(), "name": string(), "description": string(), "spec": _SPEC})),
    ),
    Route(
        "POST",
        "/api/workflow-templates/:slug/use",
        "use_template",
        "Publish a template as a workflow of the team; one whose slug is taken gets a number",
        permission=WRITE,
        feature=WORKFLOWS,
        body=obj({"slug": string(min_length=1, max_length=SLUG_MAX)}, example={}),
        reply=DEFINITION,
        status=201,
    ),
    Route(
        "GET",
        "/api/workflows/:slug/versions",
        "list_versions",
        "The versions of a workflow that the team has, newest first",
        permission=READ,
        feature=WORKFLOWS,
        query=PAGE_QUERY,
        reply=DEFINITIONS,
    ),
)

RUN_ROUTES: tuple[Route, ...] = (
    Route(
        "POST",
        "/api/workflows/:slug/run",
        "run_workflow",
        "Start a run of the current version, as the caller.",
        permission=RUN,
        feature=WORKFLOWS,
        body=START,
        reply=RUN_REPLY,
        status=202,
    ),
    Route(
        "GET",
        "/api/runs",
        "list_runs",
        "The team's runs, newest first.",
        permission=READ,
        feature=WORKFLOWS,
        query={**PAGE_QUERY, **FILTERS},
        reply=RUNS,
    ),
    Route(
        "GET",
        "/api/runs/:id",
        "read_run",
        "One run with its steps; inputs and outputs are shown to its creator.",
        permission=READ,
        feature=WORKFLOWS,
        reply=RUN_REPLY,
    ),
    Route(
        "POST",
        "/api/runs/:id/cancel",
        "cancel_run",
        "Cancel a run: what executes finishes, and nothing follows.",
        permission=RUN,
        feature=WORKFLOWS,
        reply=RUN_REPLY,
    ),
    Route(
        "POST",
        "/api/runs/:id/retry",
        "retry_run",
        "Try a run again, from the step that failed or anew, as the caller.",
        permission=RUN,
        feature=WORKFLOWS,
        body=RETRY,
        reply=RUN_REPLY,
        status=202,
    ),
    Route(
        "GET",
        "/api/runs/:id/events",
        "follow_run",
        "A run as server-sent events, from Last-Event-ID on, until it ends; 204 behind the last.",
        permission=READ,
        feature=WORKFLOWS,
        content_type=EVENT_STREAM,
        also_statuses=(204,),
    ),
)

ROUTES = (*DEFINITION_ROUTES, *RUN_ROUTES, *APPROVAL_ROUTES)
