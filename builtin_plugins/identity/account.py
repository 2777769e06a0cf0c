"""How somebody signs in: changing it one at a time, and where the trail tells of it."""

from builtin_plugins.identity.throttle import hold_account
from guildhall_sdk import Actor, Call, Host, Reader, Writer
from guildhall_sdk.errors import Unauthenticated
from guildhall_sdk.services.identity import Credentials, SignInOrigin
from guildhall_sdk.services.tenancy import Directory, User
from libs.names import username_key


async def hold_own_account(call: Call, writer: Writer) -> None:
    """Locks the account for one change at a time, and refuses a session that another has just ended."""
    await hold_account(writer, username_key(call.principal.username))
    if not await call.service(Credentials).alive(writer, call.principal.credential.id):
        raise Unauthenticated("This session has ended; sign in again.")


def origin_of(call: Call) -> SignInOrigin:
    """Returns the caller's address and program."""
    return SignInOrigin.of(call.address, call.headers.get("user-agent", ""))


async def actor_near(
    reader: Reader, host: Host, subject: User, *, name: str, user_id: str, request_id: str
) -> Actor:
    """Returns the actor, recorded in the first team of the person concerned, who is looked after there."""
    teams = await host.service(Directory).teams_of(reader, subject.id)
    return Actor(name, user_id, subject.org_id, teams[0][0].id if teams else None, request_id)
