"""How many events led to what runs now: a chain of them that only feeds itself has to end."""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar

from guildhall_sdk import Writer

Effect = Callable[[Writer], Awaitable[None]]

chain_depth: ContextVar[int] = ContextVar("chain_depth", default=0)


def at_depth(depth: int, effect: Effect) -> Effect:
    """Returns the effect as part of its own chain, also in a task that somebody else's chain began."""

    async def deep(writer: Writer) -> None:
        before = chain_depth.set(depth)
        try:
            await effect(writer)
        finally:
            chain_depth.reset(before)

    return deep
