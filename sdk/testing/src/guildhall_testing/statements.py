"""What a test does right before a statement or a commit: note it, hold it up, or die."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from guildhall_sdk import Row, Statement
from guildhall_sdk.engines.engine import Account
from kernel.db.scopes import ScopedReader, ScopedWriter
from kernel.scope import current_scope

Patch = Callable[[object, str, object], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementCall:
    """A statement that is about to run, and on whose behalf."""

    statement: Statement
    binds: Mapping[str, Any]
    account: Account
    request_id: str | None
    writing: bool


Before = Callable[[StatementCall], Awaitable[None] | None]


def before_statements(patch: Patch, act: Before) -> None:
    """Has `act` called, and awaited, before each statement of every scope of this process.

    `patch` is `monkeypatch.setattr`, or `setattr` in a process that dies of it.
    """

    def acting_first(scope: type[ScopedReader]) -> Any:
        plainly = scope.all

        async def all_rows(self: ScopedReader, statement: Statement, /, **binds: Any) -> Sequence[Row]:
            current = current_scope.get()
            call = StatementCall(
                statement=statement,
                binds=binds,
                account=current.account,
                request_id=current.request_id,
                writing=isinstance(self, ScopedWriter),
            )
            if (acted := act(call)) is not None:
                await acted
            return await plainly(self, statement, **binds)

        return all_rows

    for scope in (ScopedReader, ScopedWriter):
        patch(scope, "all", acting_first(scope))


def before_locks(patch: Patch, act: Callable[[Sequence[str]], None]) -> None:
    """Has `act` called with the keys before locks of a write scope of this process, once for one round."""
    serialize = ScopedWriter.serialize

    async def serialized(self: ScopedWriter, *keys: str) -> None:
        act(keys)
        await serialize(self, *keys)

    patch(ScopedWriter, "serialize", serialized)


def before_commits(patch: Patch, act: Callable[[], None]) -> None:
    """Has `act` called right before each commit of a write scope of this process."""
    settle = ScopedWriter.settle

    async def settled(self: ScopedWriter) -> None:
        await settle(self)
        act()

    patch(ScopedWriter, "settle", settled)
