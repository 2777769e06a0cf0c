"""The rows of workflow templates."""

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.types.workflow_templates import WorkflowTemplate, WorkflowTemplateUseReply


class WorkflowTemplates:
    """Calls of workflow templates."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def get(self) -> WorkflowTemplate:
        """Workflows to begin with, shipped as data.

        Needs workflows:read.
        """
        reply: WorkflowTemplate = self._api.call("GET", "/api/workflow-templates")
        return reply

    def use(self, slug: str, *, slug_: str | Omitted = OMITTED) -> WorkflowTemplateUseReply:
        """Publish a template as a workflow of the team; one whose slug is taken gets a number.

        Needs workflows:write.
        """
        reply: WorkflowTemplateUseReply = self._api.call(
            "POST", f"/api/workflow-templates/{segment(slug)}/use", fields={"slug": slug_}
        )
        return reply
