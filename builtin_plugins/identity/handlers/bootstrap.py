"""The first run."""

from builtin_plugins.identity.account import origin_of
from builtin_plugins.identity.person import check_names
from guildhall_sdk import Actor, Call, Conflict, Forbidden, Origin, Reply, created, rfc3339_or_none
from guildhall_sdk.services.events import Events
from guildhall_sdk.services.identity import Credentials, Passwords
from guildhall_sdk.services.quotas import Quotas
from guildhall_sdk.services.tenancy import Directory
from guildhall_sdk.subscriptions import MEMBER_JOINED, MemberJoined

FIRST_SESSION_MS = 7 * 24 * 3600 * 1000


async def bootstrap(call: Call) -> Reply:
    """Creates the operator with the first company and team; of any number of callers one succeeds."""
    if call.host.settings.hosted:
        raise Forbidden("This instance is provisioned by its host.", code="hosted_mode")
    body, directory, passwords = call.body, call.service(Directory), call.service(Passwords)
    async with call.read() as reader:
        if await directory.has_users(reader):
            raise _already_done()
    check_names(body, "username", "org", "team", "display_name", "locale")
    await passwords.check_policy(body["username"], body["password"])
    password_hash = await passwords.hash(body["password"])
    async with call.write() as writer:
        if not await directory.claim_instance(writer):
            raise _already_done()
        org = await directory.create_org(writer, body.get("org", "My company"), plan="enterprise")
        team = await directory.create_team(writer, org.id, body.get("team", "General"))
        user = await directory.create_user(
            writer,
            org.id,
            body["username"],
            display_name=body.get("display_name"),
            locale=body.get("locale"),
            password_hash=password_hash,
            operator=True,
            org_role="org_owner",
        )
        member = await directory.add_member(writer, team.id, user.id, "owner")
        await call.service(Quotas).apply_plan(writer, org.id, org.plan)
        issued = await call.service(Credentials).issue(
            writer,
            "session",
            user_id=user.id,
            team_id=team.id,
            expires_at=call.now_ms + FIRST_SESSION_MS,
            origin=origin_of(call),
        )
        actor = Actor(user.username, user.id, org.id, team.id, call.request_id)
        writer.audit("instance.bootstrapped", ("user", user.id), actor=actor)
        joined = MemberJoined(user_id=user.id, role=member.role)
        origin = Origin(org_id=org.id, team_id=team.id, user_id=user.id)
        await call.service(Events).emit(writer, MEMBER_JOINED, joined, origin)
    answer = {
        "token": issued.token,
        "expires_at": rfc3339_or_none(issued.expires_at),
        "user": user.public(),
        "org": org.public(),
        "team": {**team.public(), "role": member.role},
    }
    return created(answer, "/api/whoami", secret_id=issued.id)


def _already_done() -> Conflict:
    return Conflict("This instance has its first user; sign in instead.", code="already_bootstrapped")
