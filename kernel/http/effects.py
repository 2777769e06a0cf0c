"""Writes whose commit waits for the answer: so that both are kept in one transaction, or neither.

A handler writes, leaves its write scope and makes its answer, as a rule without waiting for anything in
between. The scope's commit is held back until then. Should the handler wait for something all the same, or
write again, what is held commits first: a transaction is never kept open for longer than plain code takes.
"""

import sys
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import AbstractAsyncContextManager
from functools import partial
from types import TracebackType
from typing import Any, TypeVar

from guildhall_sdk import Writer
from kernel.db import WriteScope

Result = TypeVar("Result")
BeforeCommit = Callable[[Writer], Awaitable[None]]


class HeldWrites:
    """The write scopes of one request: at most one is over and not committed yet."""

    def __init__(self, mark: BeforeCommit) -> None:
        """`mark` runs last in each scope that commits before the answer is known."""
        self._mark = mark
        self._held: tuple[WriteScope, Writer] | None = None

    @property
    def pending(self) -> bool:
        return self._held is not None

    def hold(self, scope: AbstractAsyncContextManager[Writer]) -> AbstractAsyncContextManager[Writer]:
        assert isinstance(scope, WriteScope)
        return _HeldScope(self, scope)

    def put_off(self, scope: WriteScope) -> None:
        self._held = (scope, scope.put_off(self.commit))

    async def commit(self, before: BeforeCommit | None = None) -> bool:
        """Commits what is held, with `before` as its last statements; whether there was something."""
        if self._held is None:
            return False
        (scope, writer), self._held = self._held, None
        try:
            await (before or self._mark)(writer)
        except BaseException:
            await scope.__aexit__(*sys.exc_info())
            raise
        await scope.__aexit__(None, None, None)
        return True

    async def roll_back(self) -> None:
        if self._held is not None:
            (scope, _), self._held = self._held, None
            await scope.__aexit__(_RolledBack, _RolledBack(), None)


class _RolledBack(Exception):
    """What a scope is left with when its effect is not wanted."""


class _HeldScope(AbstractAsyncContextManager[Writer]):
    """A write scope that is left without committing."""

    def __init__(self, writes: HeldWrites, scope: WriteScope) -> None:
        self._writes = writes
        self._scope = scope

    async def __aenter__(self) -> Writer:
        return await self._scope.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._writes.put_off(self._scope)
        else:
            await self._scope.__aexit__(kind, error, trace)


async def run_held(work: Coroutine[Any, Any, Result], writes: HeldWrites) -> Result:
    """Runs the coroutine; whenever it waits for something, what is held commits first."""
    return await _Steps(work, writes)


class _Steps(Awaitable[Result]):
    def __init__(self, work: Coroutine[Any, Any, Result], writes: HeldWrites) -> None:
        self._work = work
        self._writes = writes

    def __await__(self) -> Generator[Any, Any, Result]:
        step: Callable[[], Any] = partial(self._work.send, None)
        while True:
            try:
                awaited = step()
            except StopIteration as done:
                result: Result = done.value
                return result
            try:
                if self._writes.pending:
                    yield from self._writes.commit().__await__()
                sent = yield awaited
            except BaseException as error:
                step = partial(self._work.throw, error)
            else:
                step = partial(self._work.send, sent)
