"""Bodies that come in, the rules of names and passwords in them, and answers that go out."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from guildhall_sdk import InvalidRequest
from guildhall_sdk.principal import TEAM_ROLES
from guildhall_sdk.schema import (
    array,
    boolean,
    enum,
    integer,
    listing,
    nullable,
    obj,
    permissions,
    shape,
    string,
    time,
)
from guildhall_sdk.services.tenancy import PERSON_STATUSES
from libs.names import (
    LOCALE_MAX,
    LOCALE_PATTERN,
    NAME_MAX,
    USERNAME_MAX,
    locale_fault,
    name_fault,
    username_fault,
    username_key,
)
from libs.names.emails import EMAIL_MAX

SHORTEST = 10
LONGEST = 1024
_BEYOND_USERNAME = 8

# Long enough for the rule above, and among the first that are tried.
_COMMON = frozenset(Path(__file__).with_name("common_passwords.txt").read_text("utf-8").split())


def password_fault(username: str, password: str) -> str | None:
    if not SHORTEST <= len(password) <= LONGEST:
        return f"takes {SHORTEST} to {LONGEST} characters"
    plain = username_key(password)
    if plain in _COMMON or len(set(plain)) <= 2:
        return "is one of the first that would be guessed; choose another"
    name = username_key(username)
    if name and name in plain and len(plain.replace(name, "")) < _BEYOND_USERNAME:
        return "is little more than the username; choose another"
    return None


_CENTURY = 100 * 365 * 24 * 3600

_username = string(min_length=1, max_length=USERNAME_MAX, description="Unique on the instance, without case")
_name = string(min_length=1, max_length=NAME_MAX)
_locale = string(max_length=LOCALE_MAX, pattern=LOCALE_PATTERN, description="A language tag, such as nl-BE")
_new_password = string(min_length=SHORTEST, max_length=LONGEST)
_given_password = string(min_length=1, max_length=LONGEST)
_role = enum(*TEAM_ROLES)
_team_ref = string(min_length=1, max_length=64, description="The team's id or slug")

BOOTSTRAP = obj(
    {
        "username": _username,
        "password": _new_password,
        "org": _name,
        "team": _name,
        "display_name": _name,
        "locale": _locale,
    },
    required=["username", "password"],
    example={"username": "ada", "password": "correct horse battery", "org": "Analytical Engines"},
)
_passkey = shape({}, description="The answer of a passkey, as WebAuthn's JSON, in place of totp")
LOGIN = obj(
    {
        "username": string(min_length=1, max_length=256),
        "password": _given_password,
        "totp": string(max_length=32, description="The six digits of the authenticator"),
        "recovery_code": string(max_length=64, description="In place of totp; each works once"),
        "passkey": _passkey,
        "team": _team_ref,
        "way": string(min_length=1, max_length=64, description="The id of a way to sign in that takes these"),
        "link": boolean(description="Tie what this browser just proved elsewhere to this person"),
    },
    required=["username", "password"],
    example={"username": "ada", "password": "correct horse battery"},
)
CONFIRM_SESSION = obj({"password": _given_password, "passkey": _passkey}, example={})
SWITCH_TEAM = obj({"team": _team_ref}, required=["team"], example={"team": "acme--general"})
_email = string(min_length=3, max_length=EMAIL_MAX, description="Such as ada@example.com")
PROFILE = obj(
    {
        "display_name": _name,
        "locale": _locale,
        "email": nullable(_email),
        "password": string(
            max_length=LONGEST,
            description="For a new e-mail address where mail is set up, unless the session began within the "
            "last 15 minutes",
        ),
    },
    example={"display_name": "Ada Lovelace", "locale": "en-GB"},
)
CONFIRM_EMAIL = obj(
    {"token": string(min_length=1, max_length=128)}, required=["token"], example={"token": "from the link"}
)
PASSWORD = obj(
    {"current_password": _given_password, "new_password": _new_password},
    required=["new_password"],
    example={"current_password": "correct horse battery", "new_password": "staple of a better horse"},
)
_proof = {**_given_password, "description": "Unless the session began within the last 15 minutes"}
REAUTHENTICATION = obj({"password": _proof}, example={})
ENABLE_TWO_FACTOR = obj(
    {"password": _proof, "confirm": boolean(description="Leave it off until /api/2fa/confirm had a code")},
    example={"confirm": True},
)
CONFIRM_TWO_FACTOR = obj(
    {"code": string(min_length=1, max_length=32, description="The six digits of the authenticator")},
    required=["code"],
    example={"code": "123456"},
)
ADD_MEMBER = obj(
    {
        "username": _username,
        "role": _role,
        "display_name": _name,
        "password": _new_password,
        "locale": _locale,
        "email": _email,
    },
    required=["username", "role"],
    example={"username": "grace", "role": "member", "display_name": "Grace Hopper"},
)
CHANGE_ROLE = obj({"role": _role}, required=["role"], example={"role": "viewer"})
ISSUE_TOKEN = obj(
    {
        "name": _name,
        "kind": string(max_length=64, description="`api` unless told, or a kind that a plugin gives out"),
        "scope": permissions(),
        "ttl": {
            "anyOf": [integer(1, _CENTURY), enum("never")],
            "description": "Seconds, 90 days unless told, or `never`",
        },
    },
    example={"name": "nightly export", "scope": ["notes:read"], "ttl": 3600},
)

USER = shape(
    {
        "id": string(),
        "username": string(),
        "display_name": string(),
        "locale": string(),
        "two_factor": boolean(),
    }
)
OWN_PROFILE = shape(
    {
        **USER["properties"],
        "email": nullable(string()),
        "email_proven": boolean(description="A mailed link came back from it, or who manages gave it"),
        "email_pending": nullable(string(description="The address whose link is still to be opened")),
    },
    optional=("email", "email_proven", "email_pending"),
)
ORG = shape({"id": string(), "slug": string(), "name": string()})
TEAM = shape({"id": string(), "name": string(), "role": string()})
SESSION = shape({"token": string(), "expires_at": time(), "user": USER, "team": TEAM})
BOOTSTRAPPED = shape({"token": string(), "expires_at": time(), "user": USER, "org": ORG, "team": TEAM})
WHOAMI = shape(
    {
        "user": USER,
        "team": TEAM,
        "teams": array(TEAM),
        "operator": boolean(),
        "org": shape({"id": string(), "slug": string(), "name": string(), "suspended": boolean()}),
        "org_role": nullable(string()),
        "locale": string(),
        "permissions": array(string()),
        "credential": shape({"kind": string(), "scope": nullable(array(string()))}),
    }
)
_member = {"user_id": string(), "username": string(), "display_name": string(), "role": string()}
MEMBER = shape(_member)
MEMBER_ADDED = shape({"member": MEMBER, "token": nullable(string())})
MEMBERS = listing(
    shape(
        {
            **_member,
            "status": enum(*PERSON_STATUSES, description="invited: they have no password yet"),
            "last_seen_at": nullable(time()),
        }
    )
)
TOKEN_ISSUED = shape(
    {
        "id": string(),
        "token": string(),
        "scope": nullable(array(string())),
        "expires_at": nullable(time()),
    }
)
TOKENS = listing(
    shape(
        {
            "id": string(),
            "kind": string(description="`api`, or a kind that a plugin gives out, such as `scim`"),
            "name": nullable(string()),
            "scope": nullable(array(string())),
            "user": shape({"id": string(), "username": string()}),
            "created_at": time(),
            "expires_at": nullable(time()),
        }
    )
)
ENROLMENT = shape({"secret": string(), "otpauth_uri": string(), "recovery_codes": array(string())})
RECOVERY_CODES = shape({"recovery_codes": array(string())})
SESSIONS = listing(
    shape(
        {
            "id": string(),
            "team_id": string(),
            "created_at": time(),
            "last_used_at": nullable(time()),
            "expires_at": nullable(time()),
            "address": nullable(string()),
            "agent": nullable(string()),
            "current": boolean(),
        }
    )
)
UNSPENT = shape({"unspent": integer(0)})


_RULES = {
    "username": username_fault,
    "display_name": name_fault,
    "locale": locale_fault,
    "org": name_fault,
    "team": name_fault,
    "name": name_fault,
}


def check_names(body: Mapping[str, Any], *fields: str) -> None:
    """Raises `InvalidRequest` at the first of the fields that is there and malformed."""
    for field in fields:
        fault = _RULES[field](body[field]) if field in body else None
        if fault is not None:
            raise InvalidRequest.at(f"/{field}", fault)
