"""Long computations beside the event loop."""

from collections.abc import Callable, Generator
from typing import Any, Protocol, TypeVar

Result = TypeVar("Result")


class Computing(Protocol):
    """A thread that all companies share: it takes one step at a time, in turn between holders.

    `holder` is the id of the company, or another key of one caller. However much one asks for at once,
    another waits for one step of it at most: keep a step well below 50 ms.
    """

    async def run(self, holder: str, work: Callable[..., Result], *arguments: Any) -> Result:
        """Runs `work` in one step, and returns what it returns."""
        ...

    async def run_steps(self, holder: str, steps: Generator[None, None, Result]) -> Result:
        """Runs a generator that yields where others may have their turn, and returns what it returns."""
        ...
