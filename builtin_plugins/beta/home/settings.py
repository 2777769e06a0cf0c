"""What an operator decides about the first page."""

from collections.abc import Sequence
from typing import Any

from guildhall_sdk import Setting
from guildhall_sdk.settings import one_of

HOME: Setting[str] = Setting(
    name="home",
    help="what the root serves: console or beta",
    default="console",
    parse=one_of("console", "beta"),
    variable="SERVICE_HOME",
)
SETTINGS: Sequence[Setting[Any]] = (HOME,)
