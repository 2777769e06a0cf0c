"""On whose behalf code runs. Companies have a share of the database each, and the server goes first."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from functools import lru_cache
from typing import Any, NamedTuple

from guildhall_sdk import Credential, PermissionDenied, Principal
from guildhall_sdk.engines.engine import GATES, SERVER, Account, Callers
from guildhall_sdk.errors import Unauthenticated
from libs.fair_slots import RecentHolders

#: The server's own work: upkeep, leases, migrations, commands.
OWN = Account(SERVER, limited=False)
#: A request at its gates, which is nobody's yet.
UNAUTHENTICATED = Account(GATES, limited=True)
#: A request past its gates that nobody signed in for.
PUBLIC = Account("public", limited=True)


class Scope(NamedTuple):
    """On whose behalf code runs; whoever begins a request, a job or a task of the server's own says so once.

    `account` pays for the statements, `credential` narrows what is enqueued (None is the server's own work),
    `request_id` stands in every line of the log, nobody waits for what is in the `background`, and jobs that
    are enqueued belong to the `trace`, a `traceparent` of W3C, where requests are traced.
    """

    account: Account = OWN
    credential: Credential | None = None
    request_id: str | None = None
    background: bool = False
    trace: str | None = None


#: Set where a request or a job begins and where it is known whose it is; reading never sets it.
current_scope: ContextVar[Scope] = ContextVar("scope", default=Scope())  # noqa: B039


#: Of this process: whose requests came by last.
COMPANIES = RecentHolders()


@lru_cache(maxsize=4096)
def request_of(org_id: str) -> Account:
    """Returns the account of a company's request.

    A worker for every company belongs to none, and passes as at the gates.
    """
    return Account(org_id, limited=True) if org_id else UNAUTHENTICATED


@lru_cache(maxsize=4096)
def job_of(org_id: str) -> Account:
    return Account(org_id, limited=False)


def credential_of_job(asked_with: str | None, scope: frozenset[str] | None) -> Credential | None:
    if asked_with is None and scope is None:
        return None
    return Credential(asked_with or "", "job", scope, None)


def change_scope(**changes: Any) -> None:
    """Changes fields of the scope for the rest of this task."""
    current_scope.set(current_scope.get()._replace(**changes))


@contextmanager
def scoped(**changes: Any) -> Iterator[None]:
    """Changes fields of the scope inside the block, and in every task that begins in it."""
    before = current_scope.set(current_scope.get()._replace(**changes))
    try:
        yield
    finally:
        current_scope.reset(before)


def own_context() -> Context:
    """Returns a context for a task of the server's own that some company's request happens to start."""
    context = copy_context()
    context.run(change_scope, account=OWN)
    return context


#: What an engine is told of whoever runs a statement.
CALLERS = Callers(
    current=current_scope.get,
    own_context=own_context,
    another_since=COMPANIES.another_since,
)


def check_unchanged(began: Principal, now: Principal | None) -> None:
    """Raises unless the caller of a long request still has the rights that the request began with.

    `now` is the caller as read once more, None where the credential ended. Raises `Unauthenticated`, and
    `PermissionDenied` for a caller who lost a right or has another role since.
    """
    if now is None:
        raise Unauthenticated("This credential ended while the request was under way; sign in again.")
    lost = min(began.permissions - now.permissions, default=None)
    if lost is None and (began.role, began.org_role) == (now.role, now.org_role):
        return
    raise PermissionDenied(
        lost or "members:manage", "Your role changed while this was under way; nothing was done."
    )
