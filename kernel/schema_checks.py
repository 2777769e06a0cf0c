"""The check of a value by a schema, as the parts of the kernel that need it are given it."""

from collections.abc import Callable
from typing import Any, Protocol

from guildhall_sdk.schema import Schema


class Checker(Protocol):
    """A schema that is ready to judge values."""

    def check(self, value: Any) -> None:
        """Raises `InvalidRequest` with every problem of the value by JSON pointer."""
        ...


CompileSchema = Callable[[Schema], Checker]
