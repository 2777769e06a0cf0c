"""What an operator decides about signing in."""

from collections.abc import Sequence
from typing import Any

from guildhall_sdk import Setting
from guildhall_sdk.settings import seconds

SESSION_TTL = Setting(
    name="session_ttl",
    variable="SERVICE_SESSION_TTL",
    help="how long a session lasts, in seconds",
    default=12 * 3600,
    parse=seconds,
)

SETTINGS: Sequence[Setting[Any]] = (SESSION_TTL,)
