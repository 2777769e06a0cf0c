"""Triggers for the conformance tests."""

from guildhall_sdk import Factory, SampleClient

_SLUG = "sample-of-triggers"
_STEP = {"name": "find", "kind": "tool", "tool": "repo_list_unindexed"}


async def make_trigger(client: SampleClient, canary: str) -> str:
    await client.call("POST", "/api/workflows", {"slug": _SLUG, "start": "find", "steps": [_STEP]})
    trigger = {"workflow_slug": _SLUG, "match_prefix": canary, "input": {"note": canary}}
    _, answer = await client.call("POST", "/api/doc-triggers", trigger)
    return str(answer["id"])


FACTORIES = (Factory("/api/doc-triggers/:id", make_trigger),)
