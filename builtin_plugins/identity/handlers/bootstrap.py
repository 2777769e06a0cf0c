"""The first run."""

from builtin_plugins.identity.account import origin_of
from builtin_plugins.identity.person import check_names
from guildhall_sdk import Actor, Conflict, Forbidden, Origin, Reply, RequestContext, created, rfc3339_or_none
from guildhall_sdk.event_types import MEMBER_JOINED, MemberJoined
from guildhall_sdk.services import Credentials, Directory, Events, Passwords, Quotas

FIRST_SESSION_MS = 7 * 24 * 3600 * 1000


async def bootstrap(ctx: RequestContext) -> Reply:
    """Creates the operator with the first company and team; of any number of callers one succeeds."""
    if ctx.host.settings.hosted:
        raise Forbidden("This instance is provisioned by its host.", code="hosted_mode")
    body, directory, passwords = ctx.body, ctx.service(Directory), ctx.service(Passwords)
    async with ctx.read() as reader:
        if await directory.has_users(reader):
            raise _already_done()
    check_names(body, "username", "org", "team", "display_name", "locale")
    await passwords.check_policy(body["username"], body["password"])
    password_hash = await passwords.hash(body["password"])
    async with ctx.write() as writer:
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
        await ctx.service(Quotas).apply_plan(writer, org.id, org.plan)
        issued = await ctx.service(Credentials).issue(
            writer,
            "session",
            user_id=user.id,
            team_id=team.id,
            expires_at=ctx.now_ms + FIRST_SESSION_MS,
            origin=origin_of(ctx),
        )
        actor = Actor(user.username, user.id, org.id, team.id, ctx.request_id)
        writer.audit("instance.bootstrapped", ("user", user.id), actor=actor)
        joined = MemberJoined(user_id=user.id, role=member.role)
        origin = Origin(org_id=org.id, team_id=team.id, user_id=user.id)
        await ctx.service(Events).emit(writer, MEMBER_JOINED, joined, origin)
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
