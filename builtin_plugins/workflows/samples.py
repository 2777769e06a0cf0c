"""Workflows, runs and templates for the conformance tests."""

import hashlib

from builtin_plugins.workflows.approvals.routes import APPROVAL_FACTORIES
from guildhall_sdk import Factory, SampleClient


async def make_workflow(client: SampleClient, canary: str) -> str:
    """Publishes a workflow; its slug tells nothing, as it stands in paths."""
    slug = f"sample-{hashlib.sha256(canary.encode()).hexdigest()[:20]}"
    step = {"name": "find", "kind": "tool", "tool": "repo_list_unindexed"}
    spec = {"slug": slug, "name": canary, "start": "find", "steps": [step]}
    _, answer = await client.call("POST", "/api/workflows", spec)
    return str(answer["slug"])


async def name_template(_client: SampleClient, _canary: str) -> str:
    """Templates are the same for everybody."""
    return "four-eyes"


async def make_run(client: SampleClient, canary: str) -> str:
    """Starts a run whose input has the canary."""
    slug = f"run-{hashlib.sha256(canary.encode()).hexdigest()[:20]}"
    step = {"name": "find", "kind": "tool", "tool": "repo_list_unindexed"}
    spec = {"slug": slug, "inputs": {"text": {"type": "string"}}, "start": "find", "steps": [step]}
    await client.call("POST", "/api/workflows", spec)
    _, answer = await client.call("POST", f"/api/workflows/{slug}/run", {"input": {"text": canary}})
    return str(answer["id"])


FACTORIES = (
    Factory("/api/workflows/:slug", make_workflow),
    Factory("/api/workflow-templates/:slug", name_template, tenant=False),
    Factory("/api/runs/:id", make_run),
    *APPROVAL_FACTORIES,
)
