"""Changing how somebody signs in."""

from builtin_plugins.identity.throttle import hold_account
from guildhall_sdk import RequestContext, Unauthenticated, Writer
from guildhall_sdk.names import username_key
from guildhall_sdk.services import Credentials


async def hold_own_account(ctx: RequestContext, writer: Writer) -> None:
    """One change at a time, and none by a session that another change has just ended."""
    await hold_account(writer, username_key(ctx.principal.username))
    if not await ctx.service(Credentials).alive(writer, ctx.principal.credential.id):
        raise Unauthenticated("This session has ended; sign in again.")
