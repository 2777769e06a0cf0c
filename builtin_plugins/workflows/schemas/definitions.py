"""What publishing and looking at workflows takes and gives."""

from builtin_plugins.workflows.spec.format import MAX_STEP_COUNT, MAX_STEPS, MAX_VERSION
from guildhall_sdk.schema import (
    anything,
    array,
    boolean,
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

#: The outline alone: what stands in a step is judged by the format, once its size is known to be bearable.
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
