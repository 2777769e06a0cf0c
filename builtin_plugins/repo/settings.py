"""What an operator decides about the repository."""

from collections.abc import Sequence
from typing import Any

from guildhall_sdk import Setting
from guildhall_sdk.settings import boolean
from libs.sandbox import measure

UNCONFINED = Setting(
    name="unconfined",
    help="on: text is extracted even where the system offers no sandbox for it",
    default=False,
    parse=boolean,
)

REMEDY = f"{measure.REMEDY}, or set SERVICE_REPO_UNCONFINED=on to read documents without it"
SETTINGS: Sequence[Setting[Any]] = (UNCONFINED,)
