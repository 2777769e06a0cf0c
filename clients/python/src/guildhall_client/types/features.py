"""What the API says about features."""

from typing import TypedDict


class FeaturesListItem(TypedDict):
    description: str
    enabled: bool
    name: str


class FeaturesList(TypedDict):
    items: list[FeaturesListItem]
    next_cursor: str | None


class FeatureSetReply(TypedDict):
    enabled: bool
    name: str


__all__ = ["FeatureSetReply", "FeaturesList", "FeaturesListItem"]
