"""The rows of workflow templates."""

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.workflow_templates import WorkflowTemplate, WorkflowTemplateUseReply


class AsyncWorkflowTemplates:
    """Calls of workflow templates."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def get(self) -> WorkflowTemplate:
        """Workflows to begin with, shipped as data.

        Needs workflows:read.
        """
        reply: WorkflowTemplate = await self._api.call("GET", "/api/workflow-templates")
        return reply

    async def use(self, slug: str, *, slug_: str | Omitted = OMITTED) -> WorkflowTemplateUseReply:
        """Publish a template as a workflow of the team; one whose slug is taken gets a number.

        Needs workflows:write.
        """
        reply: WorkflowTemplateUseReply = await self._api.call(
            "POST", f"/api/workflow-templates/{segment(slug)}/use", fields={"slug": slug_}
        )
        return reply
