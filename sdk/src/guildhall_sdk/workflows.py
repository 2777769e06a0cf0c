"""Workflows that a plugin ships."""

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

#: The id of the run that this code is a step of, and None outside of runs.
running_run: ContextVar[str | None] = ContextVar("running_run", default=None)


@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow for `declare_contributions`, judged as one that is posted to the API.

    `spec` is laid out as `GET /api/workflows/schema` says; its `version` stands. Every team has the workflow
    from its first look on. Raise the version with each change: runs that began keep the one they began with.
    """

    spec: Mapping[str, Any]
