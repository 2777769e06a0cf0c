"""Links for people who have no password, or lost theirs: made by an admin, used by whoever got one."""

from builtin_plugins.companies import links
from builtin_plugins.companies.founding import first_session
from builtin_plugins.companies.links import LinkHolder, LinkKind
from builtin_plugins.companies.ranks import check_below, check_invitable
from guildhall_sdk import (
    Actor,
    Call,
    Conflict,
    Forbidden,
    NotFound,
    Reader,
    Reply,
    UserError,
    Writer,
    created,
    rfc3339,
    rfc3339_or_none,
)
from guildhall_sdk.principal import Roles
from guildhall_sdk.services.identity import Credentials, Passwords, SignInOrigin, SignIns
from guildhall_sdk.services.notifications import Emails
from guildhall_sdk.services.sign_in import SignInWays
from guildhall_sdk.services.tenancy import Colleague, Directory, User
from libs.names import account_lock, username_key


async def make_invitation(call: Call) -> Reply:
    """Invites somebody who has no password yet; ends the link before and the session they were given."""
    async with call.write() as writer:
        person = await _held_person(call, writer)
        check_invitable(call.service(Roles), call.principal, person)
        if person.user.has_password:
            raise Conflict(
                "They have a password already; if they forgot it, make a link to set it anew.",
                code="already_active",
            )
        await call.service(Credentials).end_sessions_of(writer, person.user.id)
        return await _made(call, writer, person.user, "invitation")


async def make_password_reset(call: Call) -> Reply:
    async with call.write() as writer:
        person = await _held_person(call, writer)
        check_below(call.service(Roles), call.principal, person)
        return await _made(call, writer, person.user, "reset")


async def _held_person(call: Call, writer: Writer) -> Colleague:
    """Returns a person of the company, whose password and links nobody else changes until the write ends."""
    who, directory, user_id = call.principal, call.service(Directory), call.params["id"]
    found = await directory.colleague(writer, who.org_id, user_id)
    if found is None:
        raise NotFound
    await writer.serialize(account_lock(username_key(found.user.username)))
    found = await directory.colleague(writer, who.org_id, user_id)
    if found is None:
        raise NotFound
    return found


async def _made(call: Call, writer: Writer, user: User, kind: LinkKind) -> Reply:
    link = await links.make(writer, call.host, user, kind, made_with=call.principal.credential)
    action = "member.invited" if kind == "invitation" else "member.reset_begun"
    writer.audit(action, ("user", user.id), detail={"username": user.username})
    emails = call.host.find_service(Emails)
    email = None if emails is None else await emails.of(writer, user.id)
    mailed = (
        email is not None
        and email.is_proven
        and await links.MailedLinks(call.host).mail(writer, user, email.address, kind, link, call.principal)
    )
    answer = {
        "url": link.url(call.host.settings.base_url),
        "expires_at": rfc3339(link.expires_at),
        "mailed": mailed,
    }
    return created(answer, f"/api/members/{user.id}", secret_id=user.id)


async def activate(call: Call) -> Reply:
    """Sets the password of whoever holds a link; one that is refused leaves the link unspent."""
    body, passwords = call.body, call.service(Passwords)
    async with call.read() as reader:
        user = await _user_of(call, reader, await links.find(reader, call.host, body["token"]))
    await passwords.check_policy(user.username, body["password"])
    password_hash = await passwords.hash(body["password"])
    async with call.write() as writer:
        await writer.serialize(account_lock(username_key(user.username)))
        holder = await links.spend(writer, call.host, body["token"])
        user = await _user_of(call, writer, holder)
        assert holder is not None
        return await _let_in(call, writer, user, holder.kind, password_hash)


async def _user_of(call: Call, reader: Reader, holder: LinkHolder | None) -> User:
    directory = call.service(Directory)
    user = None if holder is None else await directory.user(reader, holder.user_id)
    if user is None or user.removed_at is not None:
        raise UserError(
            "This link is unknown, used or expired; ask whoever sent it for a new one.",
            code="activation_invalid",
        )
    if user.suspended_at is not None:
        raise Forbidden("Your account is suspended; ask who manages your company.", code="person_suspended")
    return user


async def _let_in(call: Call, writer: Writer, user: User, kind: LinkKind, password_hash: str) -> Reply:
    """Stores the password, and begins a session unless the person signs in with a second factor."""
    directory = call.service(Directory)
    await directory.set_password(writer, user.id, password_hash)
    await call.service(SignIns).end_with_password(writer, user.id)
    teams = await directory.teams_of(writer, user.id)
    team = teams[0][0] if teams else None
    issued = None
    if team is not None and not user.two_factor and await _may_come_in(call, writer, user):
        origin = SignInOrigin.of(call.address, call.headers.get("user-agent", ""))
        issued = await first_session(writer, call.host, user, team, origin=origin)
    actor = Actor(user.username, user.id, user.org_id, None if team is None else team.id, call.request_id)
    if await links.note_activation(writer, user.id, call.now_ms):
        action = "tenant.activated"
    else:
        action = "member.activated" if kind == "invitation" else "password.reset"
    writer.audit(action, ("user", user.id), actor=actor)
    answer = {
        "token": None if issued is None else issued.token,
        "expires_at": None if issued is None else rfc3339_or_none(issued.expires_at),
        "user": user.public(),
    }
    return Reply(answer, secret_id=None if issued is None else issued.id)


async def _may_come_in(call: Call, writer: Writer, user: User) -> bool:
    """Tells whether a password is enough in the person's company."""
    ways = call.host.find_service(SignInWays)
    try:
        if ways is not None:
            await ways.check_local(call, writer, user)
    except Forbidden:
        return False
    return True
