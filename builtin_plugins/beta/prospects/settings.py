"""What an operator decides about prospects."""

from collections.abc import Sequence
from typing import Any

from guildhall_sdk import Setting
from guildhall_sdk.settings import whole

RETENTION_DAYS: Setting[int] = Setting(
    name="retention_days",
    help="days until somebody who signed up is erased, whatever was decided; 0 keeps everybody",
    default=365,
    parse=whole(0, 36_500),
)
SETTINGS: Sequence[Setting[Any]] = (RETENTION_DAYS,)
