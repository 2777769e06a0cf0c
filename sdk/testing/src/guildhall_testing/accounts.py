"""On whose account a test asks the database, and who shows a token."""

import asyncio
from collections.abc import Coroutine
from contextvars import Context
from typing import Any

from guildhall_sdk import Principal, Reader
from guildhall_sdk.engines.engine import Account
from kernel.identity.authenticate import principal_and_version
from kernel.rbac import DeclaredRoles
from kernel.scope import OWN, change_scope, job_of, request_of

__all__ = ["ACME", "GLOBEX", "OWN", "job_of", "on_account_of", "principal_for", "request_of"]

ACME, GLOBEX = request_of("org_acme"), request_of("org_globex")


def on_account_of(account: Account, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
    """Starts a task as another request's would be: it knows of no scope around it."""
    context = Context()
    context.run(change_scope, account=account)
    return asyncio.get_running_loop().create_task(work, context=context)


async def principal_for(reader: Reader, token: str, now_ms: int, roles: DeclaredRoles) -> Principal | None:
    """Returns the caller of a token, or None for one that does not hold."""
    found = await principal_and_version(reader, token, now_ms, roles)
    return None if found is None else found[0]
