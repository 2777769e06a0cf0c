"""What is done before a task waits."""

from collections.abc import Awaitable, Callable, Coroutine, Generator
from functools import partial
from typing import Any, TypeVar

Result = TypeVar("Result")


async def run_acting_before_waits(
    work: Coroutine[Any, Any, Result], act: Callable[[], Coroutine[Any, Any, object]]
) -> Result:
    """Runs a coroutine; whenever it is about to wait, `act` is awaited first, and raises in its place."""
    return await _Steps(work, act)


class _Steps(Awaitable[Result]):
    def __init__(
        self, work: Coroutine[Any, Any, Result], act: Callable[[], Coroutine[Any, Any, object]]
    ) -> None:
        self._work = work
        self._act = act

    def __await__(self) -> Generator[Any, Any, Result]:
        step: Callable[[], Any] = partial(self._work.send, None)
        while True:
            try:
                awaited = step()
            except StopIteration as done:
                result: Result = done.value
                return result
            try:
                yield from self._act().__await__()
                sent = yield awaited
            except BaseException as error:
                step = partial(self._work.throw, error)
            else:
                step = partial(self._work.send, sent)
