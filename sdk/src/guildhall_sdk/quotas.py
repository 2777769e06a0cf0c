"""Levels and windows of quotas: of whom a limit is, and how long what is used counts."""

from typing import Literal

QuotaLevel = Literal["team", "org"]
QuotaWindow = Literal["minute", "hour", "day", "month", "none"]

QUOTA_WINDOWS: tuple[QuotaWindow, ...] = ("minute", "hour", "day", "month", "none")
