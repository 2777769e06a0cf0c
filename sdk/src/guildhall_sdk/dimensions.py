"""Dimensions: what is counted for each team and company, how it is limited, and what is reserved of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal, Protocol

from guildhall_sdk.hooks import declares

QuotaLevel = Literal["team", "org"]
QuotaWindow = Literal["minute", "hour", "day", "month", "none"]

QUOTA_WINDOWS: tuple[QuotaWindow, ...] = ("minute", "hour", "day", "month", "none")


DimensionKind = Literal["rate", "concurrency", "stock"]

DIMENSION_KINDS: tuple[DimensionKind, ...] = ("rate", "concurrency", "stock")


@dataclass(frozen=True, slots=True)
class Dimension:
    """Something that is counted and can be limited; kinds of jobs may reserve it.

    rate: used up, and given anew with each window. concurrency: how many run at once. stock: how
    much is kept. The name is words of small letters and digits with a dot between: `ai.requests`.
    """

    name: str
    description: str
    kind: DimensionKind

    @property
    def windows(self) -> tuple[QuotaWindow, ...]:
        """The windows that a limit may name; for a rate `none` is for ever, the others have only `none`."""
        return QUOTA_WINDOWS if self.kind == "rate" else ("none",)

    @property
    def natural_window(self) -> QuotaWindow:
        """The window that usage is shown in where nothing is limited."""
        return "day" if self.kind == "rate" else "none"


class DimensionHooks(Protocol):
    """The hook of the plugin `quotas`."""

    @declares(Dimension, label="dimension", name=attrgetter("name"))
    def declare_dimensions(self) -> Sequence[Dimension]:
        """Declares what is counted for each team and company, and can be limited."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """Amounts that are reserved until they are settled, released, or lapse by themselves."""

    id: str
    org_id: str
    team_id: str
