"""Workflows that a plugin ships."""

from collections.abc import Mapping
from typing import Any

from guildhall_sdk.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow for `declare_contributions`, judged as one that is posted to the API.

    `spec` is laid out as `GET /api/workflows/schema` says; its `version` stands. Every team has the workflow
    from its first look on. Raise the version with each change: runs that began keep the one they began with.
    """

    spec: Mapping[str, Any]
