"""May this company write? While it is suspended reads pass and every other write is refused."""

from guildhall_sdk import PaymentRequired
from kernel.http.context import Context

_READING = frozenset({"GET", "HEAD", "OPTIONS"})


def check_suspension(ctx: Context) -> None:
    row = ctx.bound.row
    if ctx.signed_in and ctx.principal.org_suspended and row.method not in _READING:
        if row.while_suspended:
            return
        raise PaymentRequired("This company is suspended: it can be read, not written.")
