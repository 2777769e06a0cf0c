"""What the API says about workflow tests."""

from typing import Any, Literal, TypedDict


class CreatedWorkflowTestError(TypedDict):
    code: str
    message: str
    step: str


class CreatedWorkflowTestStepError(TypedDict):
    code: str
    message: str


class CreatedWorkflowTestStep(TypedDict):
    error: CreatedWorkflowTestStepError | None
    given: Any
    how: Literal["computed", "sample", "assumed", "ran", "previewed", "not_run"]
    name: str
    result: Any


class CreatedWorkflowTest(TypedDict):
    error: CreatedWorkflowTestError | None
    output: Any
    steps: list[CreatedWorkflowTestStep]


__all__ = [
    "CreatedWorkflowTest",
    "CreatedWorkflowTestError",
    "CreatedWorkflowTestStep",
    "CreatedWorkflowTestStepError",
]
