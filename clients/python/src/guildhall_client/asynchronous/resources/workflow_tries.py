"""The rows of workflow tries."""

from collections.abc import Mapping
from typing import Any

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.sending import OMITTED, Omitted
from guildhall_client.types.workflow_tries import CreatedWorkflowTry


class AsyncWorkflowTries:
    """Calls of workflow tries."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def create(
        self,
        *,
        spec: Any,
        step: str,
        input: Mapping[str, Any] | Omitted = OMITTED,
        item: Any = OMITTED,
        outputs: Mapping[str, Any] | Omitted = OMITTED,
    ) -> CreatedWorkflowTry:
        """Try one step of a spec with a sample: what it would be given, and what it would give.

        `input`: A sample of the run's input
        `item`: A sample of a map's item
        `outputs`: Samples of the outputs of steps, by name
        Needs workflows:write.
        """
        reply: CreatedWorkflowTry = await self._api.call(
            "POST",
            "/api/workflow-tries",
            fields={"input": input, "item": item, "outputs": outputs, "spec": spec, "step": step},
        )
        return reply
