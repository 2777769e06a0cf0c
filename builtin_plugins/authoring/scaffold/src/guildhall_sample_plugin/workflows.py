"""A workflow that every team has; raise its version with each change."""

from collections.abc import Sequence

from guildhall_sdk import Workflow, hookimpl

from guildhall_sample_plugin.tools import SHORTEN

SPEC = {
    "slug": "sample-plugin-shorten",
    "version": 1,
    "inputs": {"text": {"type": "string"}},
    "start": "shorten",
    "steps": [
        {
            "name": "shorten",
            "kind": "tool",
            "tool": SHORTEN,
            "with": {"text": {"$from": "input.text"}},
            "end": True,
        },
    ],
}


@hookimpl
def declare_workflows() -> Sequence[Workflow]:
    return [Workflow(spec=SPEC)]
