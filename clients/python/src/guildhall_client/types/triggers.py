"""What the API says about triggers."""

from typing import Any, Literal, NotRequired, TypedDict


class TriggerFire(TypedDict):
    at: str
    id: str
    key: str | None
    object_id: str
    outcome: Literal["started", "skipped"]
    reason: (
        Literal[
            "no_permission",
            "derived",
            "feature_disabled",
            "quota",
            "suspended",
            "workflow_missing",
            "invalid_input",
            "loop",
            "budget",
        ]
        | None
    )
    run_id: str | None
    version: int


class Trigger(TypedDict):
    created_at: str
    #: The id of whoever created it; a run acts as whoever uploads
    created_by: str
    enabled: bool
    fire_on_derived: bool
    fires: list[TriggerFire]
    fires_cursor: str | None
    id: str
    input: dict[str, Any]
    match_prefix: str
    match_types: list[str]
    updated_at: str
    workflow_slug: str


class ListedTrigger(TypedDict):
    created_at: str
    #: The id of whoever created it; a run acts as whoever uploads
    created_by: str
    enabled: bool
    fire_on_derived: bool
    id: str
    input: dict[str, Any]
    match_prefix: str
    match_types: list[str]
    updated_at: str
    workflow_slug: str


class ListedTriggerPageBudgetAiRequests(TypedDict):
    limit: int | None
    remaining: int | None
    resets_at: str | None
    used: int
    window: str


ListedTriggerPageBudget = TypedDict(
    "ListedTriggerPageBudget",
    {
        #: The tightest limit of the team and its company; null is none
        "ai.requests": NotRequired[ListedTriggerPageBudgetAiRequests],
        #: The tightest limit of the team and its company; null is none
        "ai.tokens.total": NotRequired[ListedTriggerPageBudgetAiRequests],
    },
)


class ListedTriggerPage(TypedDict):
    budget: ListedTriggerPageBudget
    items: list[ListedTrigger]
    next_cursor: str | None


class CreatedTriggerWarning(TypedDict):
    message: str
    pointer: str


class CreatedTrigger(TypedDict):
    created_at: str
    #: The id of whoever created it; a run acts as whoever uploads
    created_by: str
    enabled: bool
    fire_on_derived: bool
    id: str
    input: dict[str, Any]
    match_prefix: str
    match_types: list[str]
    updated_at: str
    #: What the workflow, as it is now, would refuse of the input: fires would be skipped
    warnings: list[CreatedTriggerWarning]
    workflow_slug: str


__all__ = [
    "CreatedTrigger",
    "CreatedTriggerWarning",
    "ListedTrigger",
    "ListedTriggerPage",
    "ListedTriggerPageBudget",
    "ListedTriggerPageBudgetAiRequests",
    "Trigger",
    "TriggerFire",
]
