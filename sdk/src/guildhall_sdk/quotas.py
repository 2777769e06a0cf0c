"""Quota dimensions: what is counted for each team and company, and in which windows it can be limited."""

from dataclasses import dataclass
from typing import Literal

QuotaKind = Literal["rate", "concurrency", "stock"]
QuotaLevel = Literal["team", "org"]
QuotaWindow = Literal["minute", "hour", "day", "month", "none"]

QUOTA_KINDS: tuple[QuotaKind, ...] = ("rate", "concurrency", "stock")
QUOTA_WINDOWS: tuple[QuotaWindow, ...] = ("minute", "hour", "day", "month", "none")


@dataclass(frozen=True, slots=True)
class QuotaDimension:
    """Something that can be limited.

    rate: used up, and given anew with each window. concurrency: how many run at once. stock: how
    much is kept. The name is words of small letters and digits with a dot between: `ai.requests`.
    """

    name: str
    description: str
    kind: QuotaKind

    @property
    def windows(self) -> tuple[QuotaWindow, ...]:
        """Those that a limit may name; `none` is for ever for a rate, and the only one for the others."""
        return QUOTA_WINDOWS if self.kind == "rate" else ("none",)

    @property
    def natural_window(self) -> QuotaWindow:
        """The one that usage is shown in where nothing is limited."""
        return "day" if self.kind == "rate" else "none"
