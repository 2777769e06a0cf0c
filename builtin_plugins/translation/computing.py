"""Work on texts: at once where it is short, else on a thread that companies share by turns."""

from typing import TypeVar

from libs.fair_slots import TEXTS, Steps, finished

Result = TypeVar("Result")
# Characters that are read in about a millisecond.
_AT_ONCE = 2_000


async def compute(org_id: str, size: int, steps: Steps[Result]) -> Result:
    """Takes the steps of some work on so many characters without holding the event loop."""
    return finished(steps) if size <= _AT_ONCE else await TEXTS.run_steps(org_id, steps)
