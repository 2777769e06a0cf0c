"""The rows of identity, and real ids for the conformance tests, made through the front door."""

import secrets

from builtin_plugins.identity import schemas
from guildhall_sdk import PAGE_QUERY, Auth, Factory, Route, SampleClient
from guildhall_sdk.schema import nullable, shape, string

_BOOTSTRAP = (
    Route(
        "POST",
        "/api/bootstrap",
        "bootstrap",
        "Set the instance up: the operator, the first company and its team. Works once.",
        auth=Auth.PUBLIC,
        body=schemas.BOOTSTRAP,
        reply=schemas.BOOTSTRAPPED,
        status=201,
    ),
)

_SESSIONS = (
    Route(
        "POST",
        "/api/login",
        "login",
        "Sign in with username and password, and with a TOTP or recovery code where two-factor is on.",
        auth=Auth.PUBLIC,
        body=schemas.LOGIN,
        reply=schemas.SESSION,
        while_suspended=True,
    ),
    Route(
        "POST",
        "/api/logout",
        "logout",
        "End this session.",
        status=204,
        session_only=True,
        while_suspended=True,
    ),
    Route(
        "POST",
        "/api/session/team",
        "switch_team",
        "Get a session in another of the caller's teams; it ends when this one does.",
        body=schemas.SWITCH_TEAM,
        reply=schemas.SESSION,
        session_only=True,
    ),
    Route(
        "POST",
        "/api/session/confirm",
        "confirm_session",
        "Prove once more who is there, by password or passkey, before what asks for it. Without either the "
        "refusal has the options for a passkey.",
        body=schemas.CONFIRM_SESSION,
        status=204,
        session_only=True,
        while_suspended=True,
    ),
    Route(
        "GET",
        "/api/sessions",
        "list_sessions",
        "The caller's own sessions, newest first.",
        query=PAGE_QUERY,
        reply=schemas.SESSIONS,
        session_only=True,
    ),
    Route(
        "DELETE",
        "/api/sessions/:id",
        "end_session",
        "End one of the caller's own sessions.",
        status=204,
        session_only=True,
        while_suspended=True,
    ),
)

_TWO_FACTOR = (
    Route(
        "POST",
        "/api/2fa/enable",
        "enable_two_factor",
        "Turn two-factor on; the secret and the recovery codes are shown once. Ends all other sessions. "
        "With confirm it stays off until a code of it came within 15 minutes.",
        body=schemas.ENABLE_TWO_FACTOR,
        reply=schemas.ENROLMENT,
        session_only=True,
        while_suspended=True,
    ),
    Route(
        "POST",
        "/api/2fa/passkeys",
        "enable_two_factor_by_passkeys",
        "Turn two-factor on with one's passkeys in the place of an app; recovery codes are shown once. Ends "
        "all other sessions.",
        body=schemas.REAUTHENTICATION,
        reply=schemas.RECOVERY_CODES,
        session_only=True,
        while_suspended=True,
    ),
    Route(
        "POST",
        "/api/2fa/confirm",
        "confirm_two_factor",
        "Turn on the two-factor that was begun, with a code of it. Ends all other sessions.",
        body=schemas.CONFIRM_TWO_FACTOR,
        reply=schemas.USER,
        session_only=True,
        while_suspended=True,
    ),
    Route(
        "POST",
        "/api/2fa/recovery-codes",
        "replace_recovery_codes",
        "A fresh set of recovery codes, shown once; the outstanding ones stop working.",
        body=schemas.REAUTHENTICATION,
        reply=schemas.RECOVERY_CODES,
        session_only=True,
        while_suspended=True,
    ),
    Route(
        "GET",
        "/api/2fa/recovery-codes",
        "count_recovery_codes",
        "How many recovery codes are unspent.",
        reply=schemas.UNSPENT,
        session_only=True,
    ),
    Route(
        "DELETE",
        "/api/2fa",
        "disable_two_factor",
        "Turn two-factor off; seed and recovery codes are forgotten. Ends all other sessions.",
        body=schemas.REAUTHENTICATION,
        status=204,
        session_only=True,
        while_suspended=True,
    ),
    Route(
        "DELETE",
        "/api/admin/users/:id/2fa",
        "revoke_two_factor",
        "Turn somebody's two-factor off and end their sessions, so that they enrol again.",
        permission="instance:manage",
        status=204,
        session_only=True,
        while_suspended=True,
    ),
)

_PROFILE = (
    Route(
        "POST",
        "/api/password",
        "change_password",
        "Change the caller's password; every other session of theirs ends.",
        body=schemas.PASSWORD,
        reply=schemas.USER,
        session_only=True,
        while_suspended=True,
    ),
    Route("GET", "/api/whoami", "whoami", "Who the caller is and what they may do.", reply=schemas.WHOAMI),
    Route(
        "POST",
        "/api/profile",
        "update_profile",
        "Change the caller's display name, locale and e-mail address. Where mail is set up, a new address "
        "holds once the link that is mailed there was opened.",
        body=schemas.PROFILE,
        reply=schemas.OWN_PROFILE,
        unscoped=True,
    ),
    Route(
        "GET",
        "/api/profile",
        "read_profile",
        "The caller's profile, with their e-mail address.",
        reply=schemas.OWN_PROFILE,
        unscoped=True,
    ),
    Route(
        "POST",
        "/api/email/confirm",
        "confirm_email",
        "Put the caller's new e-mail address in place, with the token that was mailed there.",
        body=schemas.CONFIRM_EMAIL,
        reply=shape({"email": nullable(string())}),
        session_only=True,
    ),
)

_MEMBERS = (
    Route(
        "POST",
        "/api/members",
        "add_member",
        "Add a person to the team. A new one gets a first session; a colleague joins as they are.",
        permission="members:manage",
        body=schemas.ADD_MEMBER,
        reply=schemas.MEMBER_ADDED,
        status=201,
    ),
    Route(
        "GET",
        "/api/members",
        "list_members",
        "The team's members and their roles.",
        query=PAGE_QUERY,
        reply=schemas.MEMBERS,
    ),
    Route(
        "PATCH",
        "/api/members/:id",
        "change_role",
        "Give a member another role.",
        permission="members:manage",
        body=schemas.CHANGE_ROLE,
        reply=schemas.MEMBER,
    ),
    Route(
        "DELETE",
        "/api/members/:id",
        "remove_member",
        "Remove a member from the team; what they hold here ends at once.",
        permission="members:manage",
        status=204,
    ),
)

_TOKENS = (
    Route(
        "POST",
        "/api/tokens",
        "issue_token",
        "Issue an API token, shown once. A scope narrows what its owner may do with it.",
        permission="settings:manage",
        resource_decides=True,
        body=schemas.ISSUE_TOKEN,
        reply=schemas.TOKEN_ISSUED,
        status=201,
    ),
    Route(
        "GET",
        "/api/tokens",
        "list_tokens",
        "The team's tokens, those of connected apps too, and for who manages the company those of its "
        "directories; each kind newest first.",
        permission="settings:manage",
        query=PAGE_QUERY,
        reply=schemas.TOKENS,
    ),
    Route(
        "DELETE",
        "/api/tokens/:id",
        "revoke_token",
        "Revoke an API token.",
        permission="settings:manage",
        resource_decides=True,
        status=204,
    ),
)

ROUTES = (*_BOOTSTRAP, *_SESSIONS, *_TWO_FACTOR, *_PROFILE, *_MEMBERS, *_TOKENS)


async def make_member(client: SampleClient, canary: str) -> str:
    body = {
        "username": f"{canary[:40]}-{secrets.token_hex(6)}",
        "role": "viewer",
        "display_name": canary,
    }
    _, answer = await client.call("POST", "/api/members", body)
    return str(answer["member"]["user_id"])


async def make_token(client: SampleClient, canary: str) -> str:
    _, answer = await client.call("POST", "/api/tokens", {"name": canary, "scope": ["notes:read"]})
    return str(answer["id"])


async def make_session(client: SampleClient, canary: str) -> str:
    _, who = await client.call("GET", "/api/whoami")
    await client.call("POST", "/api/session/team", {"team": who["team"]["id"]}, User_Agent=canary)
    _, answer = await client.call("GET", "/api/sessions")
    return next(str(session["id"]) for session in answer["items"] if session["agent"] == canary)


FACTORIES = (
    Factory("/api/members/:id", make_member),
    Factory("/api/tokens/:id", make_token),
    Factory("/api/sessions/:id", make_session),
    # An operator's view: every company's people are theirs to help.
    Factory("/api/admin/users/:id", make_member, tenant=False),
)
