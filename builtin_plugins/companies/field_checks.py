"""What a body says, judged field by field before anything is written."""

import re
from collections.abc import Mapping
from typing import Any

from builtin_plugins.companies.hostnames import parse_hostname
from builtin_plugins.companies.schemas import SLUG_PATTERN
from guildhall_sdk import Call, InvalidRequest
from guildhall_sdk.services.identity import Passwords
from guildhall_sdk.services.quotas import Quotas
from libs.names import locale_fault, name_fault, username_fault

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
