"""A body that is refused, once somebody looks at it."""

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from guildhall_sdk import Problem


class RefusedBody(Mapping[str, Any]):
    """Stands for a body that its row does not take, where the resource has the first word.

    On a judged row the handler learns from the resource whether this caller may do that at all: who may
    not is told so, whatever they sent. Whoever may hears what is wrong with it when it is looked at.
    """

    def __init__(self, fault: Problem) -> None:
        self._fault = fault

    def __getitem__(self, name: str) -> NoReturn:
        raise self._fault

    def __iter__(self) -> Iterator[str]:
        raise self._fault

    def __len__(self) -> int:
        raise self._fault
