"""What an operator decides about triggers."""

from guildhall_sdk import Setting
from guildhall_sdk.settings import whole

MAX_RUNS: Setting[int] = Setting(
    name="max_runs",
    variable="SERVICE_TRIGGERS_MAX_RUNS",
    help="how many runs may descend from one upload",
    default=1_000,
    parse=whole(1, 1_000_000),
)
