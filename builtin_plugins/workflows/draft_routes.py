"""The rows for those who draw workflows: checks and tries of drafts, and templates to begin with."""

from builtin_plugins.workflows.definitions import READ, WORKFLOWS, WRITE
from builtin_plugins.workflows.routes import DEFINITION, EXAMPLE, MAX_BODY, SLUG_MAX, SPEC, WARNING
from guildhall_sdk import Route
from guildhall_sdk.schema import anything, array, enum, listing, nullable, obj, shape, string

_ERROR = shape({"code": string(), "message": string()})

DRAFT_ROUTES: tuple[Route, ...] = (
    Route(
        "POST",
        "/api/workflow-checks",
        "check_workflow",
        "What would be refused of a spec, and what to know before it is run; nothing is published",
        permission=WRITE,
        feature=WORKFLOWS,
        body=obj({"spec": anything()}, required=["spec"], example={"spec": EXAMPLE}),
        reply=shape({"problems": array(WARNING), "warnings": array(WARNING)}),
        max_body=MAX_BODY,
    ),
    Route(
        "POST",
        "/api/workflow-tries",
        "try_workflow_step",
        "Try one step of a spec with a sample: what it would be given, and what it would give",
        permission=WRITE,
        feature=WORKFLOWS,
        body=obj(
            {
                "spec": anything(),
                "step": string(min_length=1, max_length=64),
                "input": {"type": "object", "description": "A sample of the run's input"},
                "outputs": {"type": "object", "description": "Samples of the outputs of steps, by name"},
                "item": anything(description="A sample of a map's item"),
            },
            required=["spec", "step"],
            example={"spec": EXAMPLE, "step": "find"},
        ),
        reply=shape(
            {
                "given": anything(),
                "result": anything(),
                "error": nullable(_ERROR),
            }
        ),
        max_body=MAX_BODY,
    ),
    Route(
        "POST",
        "/api/workflow-tests",
        "try_workflow",
        "Try a whole spec with a sample: tools that only read are run, nothing is written, sent or asked",
        permission=WRITE,
        feature=WORKFLOWS,
        body=obj(
            {
                "spec": anything(),
                "input": {"type": "object", "description": "A sample of the run's input"},
                "outputs": {"type": "object", "description": "Outputs that stand for steps, by their names"},
            },
            required=["spec"],
            example={"spec": EXAMPLE},
        ),
        reply=shape(
            {
                "steps": array(
                    shape(
                        {
                            "name": string(),
                            "how": enum("computed", "sample", "assumed", "ran", "previewed", "not_run"),
                            "given": anything(),
                            "result": anything(),
                            "error": nullable(_ERROR),
                        }
                    )
                ),
                "output": anything(),
                "error": nullable(shape({"step": string(), "code": string(), "message": string()})),
            }
        ),
        max_body=MAX_BODY,
    ),
    Route(
        "GET",
        "/api/workflow-templates",
        "list_templates",
        "Workflows to begin with, shipped as data",
        permission=READ,
        feature=WORKFLOWS,
        reply=listing(shape({"slug": string(), "name": string(), "description": string(), "spec": SPEC})),
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
)
