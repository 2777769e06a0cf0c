"""What the API says about workflow checks."""

from typing import TypedDict


class CreatedWorkflowCheckProblem(TypedDict):
    message: str
    #: Where in the spec
    pointer: str


class CreatedWorkflowCheck(TypedDict):
    problems: list[CreatedWorkflowCheckProblem]
    warnings: list[CreatedWorkflowCheckProblem]


__all__ = ["CreatedWorkflowCheck", "CreatedWorkflowCheckProblem"]
