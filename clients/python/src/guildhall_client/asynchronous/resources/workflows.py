"""The rows of workflows."""

from collections.abc import Mapping, Sequence
from typing import Any

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.workflows import (
    ListedWorkflow,
    ListedWorkflowPage,
    Workflow,
    WorkflowRunReply,
    WorkflowSchema,
)


class AsyncWorkflows:
    """Calls of workflows."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def create(
        self,
        *,
        slug: str,
        start: str,
        steps: Sequence[Any],
        inputs: Mapping[str, Any] | Omitted = OMITTED,
        max_steps: int | Omitted = OMITTED,
        name: str | Omitted = OMITTED,
        version: int | Omitted = OMITTED,
    ) -> Workflow:
        """Publish a spec; a slug that is there already gets a new version.

        `inputs`: Inputs by name, as GET /api/workflows/schema says
        `max_steps`: How many jobs a run may take, items of maps included
        `start`: The name of the first step
        `steps`: Steps, as GET /api/workflows/schema says
        `version`: Taken and ignored: the server counts
        Needs workflows:write.
        """
        reply: Workflow = await self._api.call(
            "POST",
            "/api/workflows",
            fields={
                "inputs": inputs,
                "max_steps": max_steps,
                "name": name,
                "slug": slug,
                "start": start,
                "steps": steps,
                "version": version,
            },
        )
        return reply

    async def delete(self, slug: str) -> None:
        """Delete what the team published under a slug; its runs stay.

        Needs workflows:write.
        """
        await self._api.call("DELETE", f"/api/workflows/{segment(slug)}")

    async def get(self, slug: str, *, version: int | None = None) -> Workflow:
        """One workflow with its spec, in its current version or in the one that is named.

        `version`: A version that the team has
        Needs workflows:read.
        """
        reply: Workflow = await self._api.call(
            "GET", f"/api/workflows/{segment(slug)}", query={"version": version}
        )
        return reply

    async def run(self, slug: str, *, input: Mapping[str, Any] | Omitted = OMITTED) -> WorkflowRunReply:
        """Start a run of the current version, as the caller.

        `input`: What the workflow declares as its inputs
        Needs workflows:run.
        """
        reply: WorkflowRunReply = await self._api.call(
            "POST", f"/api/workflows/{segment(slug)}/run", fields={"input": input}
        )
        return reply

    async def schema(self) -> WorkflowSchema:
        """The format of a spec, for editors: its number, JSON Schema, references, predicates and
        limits.
        """
        reply: WorkflowSchema = await self._api.call("GET", "/api/workflows/schema")
        return reply

    async def update(self, slug: str, *, enabled: bool) -> Workflow:
        """Turn a workflow off or on: runs that began go on.

        Needs workflows:write.
        """
        reply: Workflow = await self._api.call(
            "PATCH", f"/api/workflows/{segment(slug)}", fields={"enabled": enabled}
        )
        return reply

    def versions(
        self, slug: str, *, page_size: int | None = None
    ) -> AsyncPages[ListedWorkflow, ListedWorkflowPage]:
        """The versions of a workflow that the team has, newest first.

        Needs workflows:read.
        """
        return AsyncPages(self._api, f"/api/workflows/{segment(slug)}/versions", query={"limit": page_size})

    def list(self, *, page_size: int | None = None) -> AsyncPages[ListedWorkflow, ListedWorkflowPage]:
        """The team's workflows by slug, those of plugins too, each in its current version.

        Needs workflows:read.
        """
        return AsyncPages(self._api, "/api/workflows", query={"limit": page_size})
