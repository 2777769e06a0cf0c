"""What a team can turn off of AI."""

from guildhall_sdk import Feature

FEATURES = (
    Feature("chat", "Talk to a model"),
    Feature("agent", "Let a model use the team's tools"),
)
