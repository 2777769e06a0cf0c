"""What an operator decides about prospects."""

from collections.abc import Sequence
from typing import Any

from guildhall_sdk import Setting
from guildhall_sdk.retention import days_setting

RETENTION_DAYS = days_setting(
    "retention_days",
    what="people who signed up for the beta",
    default=365,
    variable="SERVICE_BETA_RETENTION_DAYS",
)
SETTINGS: Sequence[Setting[Any]] = (RETENTION_DAYS,)
