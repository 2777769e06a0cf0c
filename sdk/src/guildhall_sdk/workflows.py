"""Workflows that a plugin ships."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from guildhall_sdk.hooks import declares


@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow for `declare_workflows`, judged as one that is posted to the API.

    `spec` is laid out as `GET /api/workflows/schema` says; its `version` stands. Every team has the workflow
    from its first look on. Raise the version with each change: runs that began keep the one they began with.
    """

    spec: Mapping[str, Any]


class WorkflowHooks(Protocol):
    """The hook of the plugin `workflows`."""

    @declares(Workflow, label="workflow", name=lambda workflow: str(workflow.spec["slug"]))
    def declare_workflows(self) -> Sequence[Workflow]:
        """Declares workflows that every team has."""
