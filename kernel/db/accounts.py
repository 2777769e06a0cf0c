"""On whose account a scope is: companies have a share of the database each, and the server goes first."""

import contextvars
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

SERVER, GATES = "server", "gates"


@dataclass(frozen=True, slots=True)
class Account:
    """`holder` is a company's id or one of the names here.

    A statement is `limited` in time where somebody waits for the answer.
    """

    holder: str
    limited: bool


#: The server's own work: upkeep, leases, migrations, commands.
OWN = Account(SERVER, limited=False)
#: A request at its gates, which is nobody's yet.
AT_THE_GATES = Account(GATES, limited=True)
#: A request past its gates that nobody signed in for.
PUBLIC = Account("public", limited=True)

current_account: contextvars.ContextVar[Account] = contextvars.ContextVar("current_account", default=OWN)


@lru_cache(maxsize=4096)
def request_of(org_id: str) -> Account:
    """A company's request. A worker for every company belongs to none, and passes as at the gates."""
    return Account(org_id, limited=True) if org_id else AT_THE_GATES


@lru_cache(maxsize=4096)
def job_of(org_id: str) -> Account:
    return Account(org_id, limited=False)


@contextmanager
def own_work() -> Iterator[None]:
    """Inside, the server works for itself, whoever caused it."""
    before = current_account.set(OWN)
    try:
        yield
    finally:
        current_account.reset(before)


def own_context() -> contextvars.Context:
    """For a task of the server's own that some company's request happens to start."""
    context = contextvars.copy_context()
    context.run(current_account.set, OWN)
    return context
