"""What must hold for as long as a transaction writes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from guildhall_sdk import Row, Statement


@dataclass(frozen=True, slots=True)
class WriteCondition:
    """Asked right after a transaction begins, and true until it has committed.

    `judge` raises unless the first row of `statement` will do. The transaction shares the keys in `held`;
    whoever changes what is asked about serializes on one of them, and so waits for the transactions that
    saw it as it was.
    """

    held: tuple[str, ...]
    statement: Statement
    binds: Mapping[str, Any]
    judge: Callable[[Row], None]


ConditionOf = Callable[[str], WriteCondition]
