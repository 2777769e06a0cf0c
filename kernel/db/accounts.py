"""On whose account a scope is: companies have a share of the database each, and the server goes first."""

import contextvars
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from math import inf
from time import monotonic

from guildhall_sdk.engines.engine import GATES, SERVER, Account, Callers

#: The server's own work: upkeep, leases, migrations, commands.
OWN = Account(SERVER, limited=False)
#: A request at its gates, which is nobody's yet.
UNAUTHENTICATED = Account(GATES, limited=True)
#: A request past its gates that nobody signed in for.
PUBLIC = Account("public", limited=True)

current_account: contextvars.ContextVar[Account] = contextvars.ContextVar("current_account", default=OWN)
#: Whether this task is a start, or work that began in one: nobody waits for it.
in_background: contextvars.ContextVar[bool] = contextvars.ContextVar("in_background", default=False)


class RecentCompanies:
    """Which two companies came by last, and when."""

    def __init__(self) -> None:
        self._last = self._other = ("", -inf)

    def note(self, company: str) -> None:
        if company != self._last[0]:
            self._other = self._last
        self._last = (company, monotonic())

    def another_since(self, moment: float, company: str) -> bool:
        """Tells whether some company but this one came by since then."""
        return any(who != company and when >= moment for who, when in (self._last, self._other))


#: Of this process.
COMPANIES = RecentCompanies()


def request_of(org_id: str) -> Account:
    """Returns the account of a company's request.

    A worker for every company belongs to none, and passes as at the gates.
    """
    if not org_id:
        return UNAUTHENTICATED
    COMPANIES.note(org_id)
    return _account_of(org_id)


@lru_cache(maxsize=4096)
def _account_of(org_id: str) -> Account:
    return Account(org_id, limited=True)


@lru_cache(maxsize=4096)
def job_of(org_id: str) -> Account:
    return Account(org_id, limited=False)


@contextmanager
def own_work() -> Iterator[None]:
    """Marks the work inside the block as the server's own, whoever caused it."""
    before = current_account.set(OWN)
    try:
        yield
    finally:
        current_account.reset(before)


def own_context() -> contextvars.Context:
    """Returns a context for a task of the server's own that some company's request happens to start."""
    context = contextvars.copy_context()
    context.run(current_account.set, OWN)
    return context


@contextmanager
def background() -> Iterator[None]:
    """Marks the block, and every task that begins in it, as background work."""
    before = in_background.set(True)
    try:
        yield
    finally:
        in_background.reset(before)


#: What an engine is told of whoever runs a statement.
CALLERS = Callers(
    account=current_account.get,
    in_background=in_background.get,
    own_context=own_context,
    another_since=COMPANIES.another_since,
)
