"""Levels and windows of quotas: whose a limit is, and for how long what was used counts."""

from typing import Literal

QuotaLevel = Literal["team", "org"]
QuotaWindow = Literal["minute", "hour", "day", "month", "none"]

QUOTA_WINDOWS: tuple[QuotaWindow, ...] = ("minute", "hour", "day", "month", "none")
