"""A workflow for tools that another plugin owns: what the graph has not read, and reading it."""

from collections.abc import Sequence

from guildhall_sdk import Workflow, hookimpl

INDEX_KNOWLEDGE = {
    "slug": "index-knowledge",
    "version": 1,
    "name": "Index knowledge",
    "start": "find",
    "max_steps": 50,
    "steps": [
        {"name": "find", "kind": "tool", "tool": "kg_list_unextracted", "with": {}},
        {
            "name": "extract",
            "kind": "map",
            "over": {"$from": "steps.find.output.result"},
            "tool": "kg_extract",
            "with": {"object": {"$from": "item"}},
        },
    ],
}


@hookimpl
def declare_workflows() -> Sequence[Workflow]:
    return [Workflow(spec=INDEX_KNOWLEDGE)]
