"""The smallest workflow that a plugin can ship: a list, and a tool for each of its items."""

from collections.abc import Sequence

from guildhall_sdk import Workflow, hookimpl

INDEX_DOCUMENTS = {
    "slug": "index-documents",
    "version": 1,
    "name": "Index documents",
    "start": "find",
    "max_steps": 50,
    "steps": [
        {"name": "find", "kind": "tool", "tool": "repo_list_unindexed", "with": {}},
        {
            "name": "extract",
            "kind": "map",
            "over": {"$from": "steps.find.output.result"},
            "tool": "repo_extract_text",
            "with": {"id": {"$from": "item"}},
        },
    ],
}


@hookimpl
def declare_workflows() -> Sequence[Workflow]:
    return [Workflow(spec=INDEX_DOCUMENTS)]
