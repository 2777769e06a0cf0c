"""Writes whose commit waits for what comes of them."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from guildhall_sdk import Writer
from kernel.db.scopes import WriteScope

BeforeCommit = Callable[[Writer], Awaitable[None]]


class HeldWrites:
    """Write scopes whose commit waits for the answer: so both are kept in one transaction, or neither.

    A handler writes, leaves its write scope and makes its answer, as a rule without waiting for anything in
    between. The scope's commit is held back until then. Should the handler wait for something all the same,
    or write again, what is held commits first: a transaction is never kept open for longer than plain code
    takes. So at most one scope of a request is over and not committed yet.
    """

    def __init__(self, mark: BeforeCommit) -> None:
        """Holds back commits; `mark` runs last in each scope that commits before the answer is known."""
        self._mark = mark
        self._held: tuple[WriteScope, Writer] | None = None

    @asynccontextmanager
    async def hold(self, scope: AbstractAsyncContextManager[Writer]) -> AsyncIterator[Writer]:
        """Opens the scope, and leaves it without committing."""
        assert isinstance(scope, WriteScope)
        writer = await scope.__aenter__()
        try:
            yield writer
        except BaseException:
            await scope.__aexit__(*sys.exc_info())
            raise
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
    """Raised in a scope whose effect is not wanted, so that it is rolled back."""
