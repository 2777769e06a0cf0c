"""What must hold for as long as a transaction writes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from guildhall_sdk import Reader


@dataclass(frozen=True, slots=True)
class WriteCondition:
    """Checked before the first statement of a write scope, and true until it has committed.

    The transaction shares the keys in `held`; whoever changes what `check` looks at serializes on one
    of them, so that the change waits for the transactions that saw the state before it.
    """

    held: tuple[str, ...]
    check: Callable[[Reader], Awaitable[None]]


ConditionOf = Callable[[str], WriteCondition]
