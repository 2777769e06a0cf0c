"""The credential that running code acts with: a request's own, or the one that its job was asked for with."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from guildhall_sdk import Credential

# None is the server's own work.
acting_credential: ContextVar[Credential | None] = ContextVar("acting_credential", default=None)


@contextmanager
def acting_with(credential: Credential | None) -> Iterator[None]:
    """Gives what is enqueued inside the block the scope of the credential."""
    before = acting_credential.set(credential)
    try:
        yield
    finally:
        acting_credential.reset(before)


def credential_of_job(asked_with: str | None, scope: frozenset[str] | None) -> Credential | None:
    if asked_with is None and scope is None:
        return None
    return Credential(asked_with or "", "job", scope, None)
