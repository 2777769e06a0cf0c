"""The rows of workflow checks."""

from typing import Any

from guildhall_client.synchronous.api import Api
from guildhall_client.types.workflow_checks import CreatedWorkflowCheck


class WorkflowChecks:
    """Calls of workflow checks."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create(self, *, spec: Any) -> CreatedWorkflowCheck:
        """What would be refused of a spec, and what to know before it is run; nothing is published.

        Needs workflows:write.
        """
        reply: CreatedWorkflowCheck = self._api.call("POST", "/api/workflow-checks", fields={"spec": spec})
        return reply
