"""The rows of workflow tests."""

from collections.abc import Mapping
from typing import Any

from guildhall_client.sending import OMITTED, Omitted
from guildhall_client.synchronous.api import Api
from guildhall_client.types.workflow_tests import CreatedWorkflowTest


class WorkflowTests:
    """Calls of workflow tests."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create(
        self,
        *,
        spec: Any,
        input: Mapping[str, Any] | Omitted = OMITTED,
        outputs: Mapping[str, Any] | Omitted = OMITTED,
    ) -> CreatedWorkflowTest:
        """Try a whole spec with a sample: tools that only read are run, nothing is written, sent or
        asked.

        `input`: A sample of the run's input
        `outputs`: Outputs that stand for steps, by their names
        Needs workflows:write.
        """
        reply: CreatedWorkflowTest = self._api.call(
            "POST", "/api/workflow-tests", fields={"input": input, "outputs": outputs, "spec": spec}
        )
        return reply
