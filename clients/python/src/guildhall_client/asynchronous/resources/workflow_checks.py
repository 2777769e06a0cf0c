"""The rows of workflow checks."""

from typing import Any

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.types.workflow_checks import CreatedWorkflowCheck


class AsyncWorkflowChecks:
    """Calls of workflow checks."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def create(self, *, spec: Any) -> CreatedWorkflowCheck:
        """What would be refused of a spec, and what to know before it is run; nothing is published.

        Needs workflows:write.
        """
        reply: CreatedWorkflowCheck = await self._api.call(
            "POST", "/api/workflow-checks", fields={"spec": spec}
        )
        return reply
