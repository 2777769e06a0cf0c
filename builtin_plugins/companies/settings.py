"""What an operator decides about companies."""

from collections.abc import Sequence
from typing import Any

from guildhall_sdk import Setting
from guildhall_sdk.settings import boolean

DEMO = Setting(
    name="demo", variable="SERVICE_DEMO", help="demo companies may be made", default=False, parse=boolean
)

SETTINGS: Sequence[Setting[Any]] = (DEMO,)
