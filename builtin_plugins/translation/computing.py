"""Work on texts: at once where it is short, else on a thread that companies share by turns."""

from collections.abc import Callable
from typing import Any, TypeVar

from guildhall_sdk.fairness import TEXTS

Result = TypeVar("Result")
# Characters that are read in about a millisecond.
_AT_ONCE = 2_000


async def compute(org_id: str, size: int, work: Callable[..., Result], *arguments: Any) -> Result:
    """Does the work on so many characters without holding the event loop."""
    if size <= _AT_ONCE:
        return work(*arguments)
    return await TEXTS.run(org_id, work, *arguments)
