"""What the API says about workflow tries."""

from typing import Any, TypedDict


class CreatedWorkflowTryError(TypedDict):
    code: str
    message: str


class CreatedWorkflowTry(TypedDict):
    error: CreatedWorkflowTryError | None
    given: Any
    result: Any


__all__ = ["CreatedWorkflowTry", "CreatedWorkflowTryError"]
