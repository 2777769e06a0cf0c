"""Bodies that come in, with what is checked of each field beyond its schema, and answers that go out."""

import re
from collections.abc import Mapping
from typing import Any

from guildhall_sdk import Call, InvalidRequest
from guildhall_sdk.dimensions import QUOTA_WINDOWS, Quotas
from guildhall_sdk.principal import ORG_ROLES, TEAM_ROLES
from guildhall_sdk.schema import array, boolean, enum, integer, listing, nullable, obj, shape, string, time
from guildhall_sdk.services.identity import Passwords
from guildhall_sdk.services.tenancy import PERSON_STATUSES
from libs.names import (
    LOCALE_MAX,
    LOCALE_PATTERN,
    NAME_MAX,
    USERNAME_MAX,
    locale_fault,
    name_fault,
    username_fault,
)
from libs.names.emails import EMAIL_MAX

LONGEST = 253

_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_ACE = "xn--"


def parse_hostname(text: str) -> str | None:
    """Returns the name as it is stored and compared, or None for what is no hostname.

    An address is none, nor is a name with a port. An international name becomes its ASCII form where the two
    are one another's only spelling; else it must be given in that form.
    """
    name = text.lower() if text.isascii() else _to_ascii(text)
    name = name.removesuffix(".")
    labels = name.split(".")
    if len(name) > LONGEST or not all(map(_is_label, labels)) or labels[-1].isdigit():
        return None
    return name


def _is_label(label: str) -> bool:
    if _LABEL.fullmatch(label) is None:
        return False
    return not label.startswith(_ACE) or _decodes(label)


def _decodes(label: str) -> bool:
    try:
        decoded = label.removeprefix(_ACE).encode().decode("punycode")
    except (UnicodeError, ValueError):
        return False
    return not decoded.isascii()


def _to_ascii(text: str) -> str:
    """Returns the ASCII form; empty where Python's older rules and a browser's may differ, as for `ß`."""
    try:
        name = text.lower().encode("idna")
        return name.decode() if name.decode("idna") == text.lower() else ""
    except (UnicodeError, ValueError):
        return ""


SLUG_PATTERN = "^[a-z0-9]+(-[a-z0-9]+)*$"
_INT64_MAX = 2**63 - 1

_username = string(min_length=1, max_length=USERNAME_MAX, description="Unique on the instance, without case")
_name = string(min_length=1, max_length=NAME_MAX)
_locale = string(max_length=LOCALE_MAX, pattern=LOCALE_PATTERN, description="A language tag, such as nl-BE")
_password = string(min_length=10, max_length=1024)
_plan = string(min_length=1, max_length=64, description="free, team or enterprise")
_domain = string(min_length=1, max_length=LONGEST + 1, description="A hostname, without a port")
_org_role = enum(*ORG_ROLES)

CREATE_ORG = obj(
    {
        "name": _name,
        "slug": string(
            min_length=3,
            max_length=63,
            pattern=SLUG_PATTERN,
            description="A natural key: a taken one is refused; without it a free one is derived",
        ),
        "plan": _plan,
        "domain": _domain,
        "team": _name,
        "owner": obj(
            {"username": _username, "password": _password, "display_name": _name}, required=["username"]
        ),
    },
    required=["name", "owner"],
    example={"name": "Analytical Engines", "plan": "team", "owner": {"username": "ada"}},
)
CHANGE_ORG = obj(
    {"name": _name, "plan": _plan, "domain": nullable(_domain)},
    example={"name": "Analytical Engines Ltd", "domain": "team.analytical.example"},
)
SET_QUOTA = obj(
    {
        "dimension": string(min_length=1, max_length=128),
        "limit": {**nullable(integer(0, _INT64_MAX)), "description": "null lifts the limit"},
        "window": enum(*QUOTA_WINDOWS),
    },
    required=["dimension", "limit", "window"],
    example={"dimension": "ai.requests", "limit": 1000, "window": "day"},
)
CREATE_TEAM = obj({"name": _name}, required=["name"], example={"name": "Difference Engine"})
DELETE_TEAM = obj(
    {"move_to": string(min_length=1, max_length=64, description="The id of the team that gets all of it")},
    example={},
)
ADD_PERSON = obj(
    {
        "username": _username,
        "team": string(min_length=1, max_length=64, description="The team's id"),
        "role": enum(*TEAM_ROLES),
        "org_role": _org_role,
        "display_name": _name,
        "password": _password,
        "email": string(min_length=3, max_length=EMAIL_MAX, description="A new person is invited by it"),
    },
    required=["username", "team", "role"],
    example={"username": "grace", "team": "team_01jd3x8v7n5k2q9w4r6t8y0z1a", "role": "member"},
)
CHANGE_PERSON = obj(
    {"org_role": nullable(_org_role)}, required=["org_role"], example={"org_role": "org_reader"}
)
PROVISION = obj(
    {
        "username": _username,
        "org": _name,
        "team": _name,
        "display_name": _name,
        "locale": _locale,
        "plan": _plan,
    },
    required=["username"],
    example={"username": "ada", "org": "Analytical Engines"},
)
ACTIVATE = obj(
    {"token": string(min_length=1, max_length=256), "password": _password},
    required=["token", "password"],
    example={"token": "the-part-of-the-link-behind-the-hash", "password": "correct horse battery"},
)

_usage = shape(
    {
        "dimension": string(),
        "level": enum("team", "org"),
        "used": integer(),
        "limit": nullable(integer(0)),
        "remaining": nullable(integer(0)),
        "window": enum(*QUOTA_WINDOWS),
        "resets_at": nullable(time()),
    }
)
_org_fields = {
    "id": string(),
    "slug": string(),
    "name": string(),
    "plan": string(),
    "domain": nullable(string()),
    "suspended": boolean(),
    "suspended_at": nullable(time()),
    "created_at": time(),
}
_user = shape(
    {
        "id": string(),
        "username": string(),
        "display_name": string(),
        "locale": string(),
        "two_factor": boolean(),
    }
)
_team_with_role = shape({"id": string(), "slug": string(), "name": string(), "role": string()})

ORG = shape(_org_fields)
ORGS = listing(ORG)
TEAM = shape({"id": string(), "slug": string(), "name": string(), "created_at": time()})
TEAMS = listing(TEAM)
WHOLE_ORG = shape({**_org_fields, "teams": array(TEAM), "quotas": array(_usage)})
USAGE = _usage
ORG_CREATED = shape(
    {"org": ORG, "team": _team_with_role, "owner": _user, "token": string(), "expires_at": time()}
)
PERSON = shape(
    {
        "user_id": string(),
        "username": string(),
        "display_name": string(),
        "org_role": nullable(string()),
        "status": enum(*PERSON_STATUSES),
        "last_seen_at": nullable(time()),
        "teams": array(_team_with_role),
        "created_at": time(),
    }
)
PEOPLE = listing(PERSON)
PERSON_ADDED = shape(
    {
        "member": shape(
            {
                "user_id": string(),
                "username": string(),
                "display_name": string(),
                "role": string(),
                "team": shape({"id": string(), "slug": string(), "name": string()}),
                "org_role": nullable(string()),
            }
        ),
        "token": nullable(string()),
    }
)
PROVISIONED = shape(
    {
        "user": _user,
        "org": ORG,
        "team": _team_with_role,
        "activation": shape({"token": string(), "url": string(), "expires_at": time()}),
    }
)
ACTIVATED = shape(
    {
        "token": nullable(string(description="null where two-factor is on: sign in with a code")),
        "expires_at": nullable(time()),
        "user": _user,
    }
)
LINK = shape(
    {
        "url": string(),
        "expires_at": time(),
        "mailed": boolean(description="Whether it goes to their address too"),
    }
)
TENANT = shape({"suspended": boolean(), "suspended_at": nullable(time())})
DEMO_ALLOWED = shape({"enabled": boolean(description="SERVICE_DEMO is on here")})
DEMO = listing(
    shape(
        {
            "org": ORG,
            "team": shape({"id": string(), "slug": string(), "name": string()}),
            "people": array(
                shape(
                    {
                        "username": string(),
                        "password": string(),
                        "role": string(),
                        "org_role": nullable(string()),
                    }
                )
            ),
        }
    )
)


DEFAULT_PLAN = "team"

_SLUG = re.compile(SLUG_PATTERN)
_RULES = {
    "username": username_fault,
    "display_name": name_fault,
    "locale": locale_fault,
    "org": name_fault,
    "team": name_fault,
    "name": name_fault,
}


def check_names(body: Mapping[str, Any], *fields: str, at: str = "") -> None:
    """Raises `InvalidRequest` at the first of the fields that is there and malformed."""
    for field in fields:
        fault = _RULES[field](body[field]) if field in body else None
        if fault is not None:
            raise InvalidRequest.at(f"{at}/{field}", fault)


def given_slug(body: Mapping[str, Any]) -> str | None:
    slug: str | None = body.get("slug")
    if slug is not None and _SLUG.fullmatch(slug) is None:
        raise InvalidRequest.at("/slug", "takes small letters and digits with single dashes between them")
    return slug


def given_domain(body: Mapping[str, Any]) -> str | None:
    domain: str | None = body.get("domain")
    if domain is None:
        return None
    hostname = parse_hostname(domain)
    if hostname is None:
        raise InvalidRequest.at(
            "/domain", "is not a hostname; give it without scheme and port, such as team.example.com"
        )
    return hostname


def given_plan(call: Call) -> str:
    """Returns the plan that the body names, or the default; one that is not known is refused."""
    plan: str = call.body.get("plan", DEFAULT_PLAN)
    plans = call.service(Quotas).plans
    if plan not in plans:
        raise InvalidRequest.at("/plan", f"must be one of {', '.join(plans)}")
    return plan


async def given_password(call: Call, person: Mapping[str, Any], *, at: str = "") -> str | None:
    """Returns the hash of a password that the policy admits; None where none is given."""
    if "password" not in person:
        return None
    passwords = call.service(Passwords)
    await passwords.check_policy(person["username"], person["password"], pointer=f"{at}/password")
    return await passwords.hash(person["password"])
