"""The rows of workflows and runs."""

from builtin_plugins.workflows.features import WORKFLOWS
from builtin_plugins.workflows.permissions import READ, RUN, WRITE
from builtin_plugins.workflows.schemas import definitions, runs
from builtin_plugins.workflows.spec.format import MAX_VERSION
from guildhall_sdk import PAGE_QUERY, Auth, Route
from guildhall_sdk.replies import EVENT_STREAM
from guildhall_sdk.schema import integer

DEFINITION_ROUTES: tuple[Route, ...] = (
    Route(
        "POST",
        "/api/workflows",
        "publish_workflow",
        "Publish a spec; a slug that is there already gets a new version",
        permission=WRITE,
        feature=WORKFLOWS,
        body=definitions.PUBLISH,
        reply=definitions.DEFINITION,
        status=201,
        max_body=definitions.MAX_BODY,
    ),
    Route(
        "GET",
        "/api/workflows",
        "list_workflows",
        "The team's workflows by slug, those of plugins too, each in its current version",
        permission=READ,
        feature=WORKFLOWS,
        query=PAGE_QUERY,
        reply=definitions.DEFINITIONS,
    ),
    Route(
        "GET",
        "/api/workflows/schema",
        "describe_format",
        "The format of a spec, for editors: its number, JSON Schema, references, predicates and limits",
        auth=Auth.PUBLIC,
        reply=definitions.FORMAT,
    ),
    Route(
        "GET",
        "/api/workflows/:slug",
        "read_workflow",
        "One workflow with its spec, in its current version or in the one that is named",
        permission=READ,
        feature=WORKFLOWS,
        query={"version": integer(1, MAX_VERSION, description="A version that the team has")},
        reply=definitions.DEFINITION,
    ),
    Route(
        "GET",
        "/api/workflows/:slug/versions",
        "list_versions",
        "The versions of a workflow that the team has, newest first",
        permission=READ,
        feature=WORKFLOWS,
        query=PAGE_QUERY,
        reply=definitions.DEFINITIONS,
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
        body=runs.START,
        reply=runs.RUN,
        status=202,
    ),
    Route(
        "GET",
        "/api/runs",
        "list_runs",
        "The team's runs, newest first.",
        permission=READ,
        feature=WORKFLOWS,
        query={**PAGE_QUERY, **runs.FILTERS},
        reply=runs.RUNS,
    ),
    Route(
        "GET",
        "/api/runs/:id",
        "read_run",
        "One run with its steps; inputs and outputs are shown to its creator.",
        permission=READ,
        feature=WORKFLOWS,
        reply=runs.RUN,
    ),
    Route(
        "POST",
        "/api/runs/:id/cancel",
        "cancel_run",
        "Cancel a run: what executes finishes, and nothing follows.",
        permission=RUN,
        feature=WORKFLOWS,
        reply=runs.RUN,
    ),
    Route(
        "POST",
        "/api/runs/:id/retry",
        "retry_run",
        "Try a run again, from the step that failed or anew, as the caller.",
        permission=RUN,
        feature=WORKFLOWS,
        body=runs.RETRY,
        reply=runs.RUN,
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

ROUTES = (*DEFINITION_ROUTES, *RUN_ROUTES)
