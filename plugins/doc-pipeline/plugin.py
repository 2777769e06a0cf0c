"""A workflow with inputs, a choice and a retry: from an upload to a form in several languages."""

from collections.abc import Sequence

from guildhall_sdk import Workflow, hookimpl

_OBJECT = {"$from": "input.object_id"}
_LOCALES = {"$from": "input.locales"}
_RUN = {"$from": "run.id"}

PROCESS_UPLOAD = {
    "slug": "process-upload",
    "version": 1,
    "name": "Process an upload",
    "inputs": {
        "locales": {"type": "array"},
        "object_id": {"type": "string"},
        "schema": {"type": "object"},
        "template": {"type": "string"},
    },
    "start": "text",
    "max_steps": 40,
    "steps": [
        {"name": "text", "kind": "tool", "tool": "doc_text", "with": {"object": _OBJECT}},
        {
            "name": "fields",
            "kind": "tool",
            "tool": "doc_extract_fields",
            "with": {
                "object": _OBJECT,
                "run": _RUN,
                "schema": {"$from": "input.schema"},
                "step": "fields",
                "text": {"$from": "steps.text.output.result"},
            },
            "retry": 1,
        },
        {
            "name": "has_form",
            "kind": "choice",
            "when": {"empty": {"$from": "input.template"}},
            "then": "translate_source",
            "else": "form",
        },
        {
            "name": "form",
            "kind": "tool",
            "tool": "doc_render",
            "with": {
                "data": {"$from": "steps.fields.output.result.fields"},
                "object": _OBJECT,
                "run": _RUN,
                "step": "form",
                "template": {"$from": "input.template"},
            },
        },
        {
            "name": "translate_form",
            "kind": "map",
            "over": _LOCALES,
            "tool": "doc_translate",
            "with": {
                "locale": {"$from": "item"},
                "object": {"$from": "steps.form.output.result.object_id"},
                "run": _RUN,
                "step": "translate",
            },
            "end": True,
        },
        {
            "name": "translate_source",
            "kind": "map",
            "over": _LOCALES,
            "tool": "doc_translate",
            "with": {"locale": {"$from": "item"}, "object": _OBJECT, "run": _RUN, "step": "translate"},
            "end": True,
        },
    ],
}


@hookimpl
def declare_workflows() -> Sequence[Workflow]:
    return [Workflow(spec=PROCESS_UPLOAD)]
