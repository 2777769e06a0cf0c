"""What an operator decides about the first page."""

from guildhall_sdk import Setting
from guildhall_sdk.settings import one_of

HOME = Setting(
    name="home",
    help="what the root serves: console or beta",
    default="console",
    parse=one_of("console", "beta"),
    variable="SERVICE_HOME",
)
