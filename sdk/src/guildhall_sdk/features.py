"""Feature flags: what a team can turn off."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Feature:
    name: str
    description: str
    enabled_by_default: bool = True
