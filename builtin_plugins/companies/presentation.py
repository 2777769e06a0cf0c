"""Companies, teams and people as answers show them."""

from collections.abc import Mapping
from typing import Any

from guildhall_sdk import rfc3339, rfc3339_or_none
from guildhall_sdk.services.tenancy import Colleague, Org, Team


def org_json(org: Org) -> dict[str, Any]:
    return {
        **org.public(),
        "plan": org.plan,
        "domain": org.domain,
        "suspended": org.suspended_at is not None,
        "suspended_at": rfc3339_or_none(org.suspended_at),
        "created_at": rfc3339(org.created_at),
    }


def team_json(team: Team) -> dict[str, Any]:
    return {**team.public(), "created_at": rfc3339(team.created_at)}


def colleague_json(colleague: Colleague) -> dict[str, Any]:
    user = colleague.user
    return {
        "user_id": user.id,
        "username": user.username,
        "display_name": user.display_name,
        "org_role": user.org_role,
        "status": user.status,
        "last_seen_at": rfc3339_or_none(user.last_seen_at),
        "teams": [{**team.public(), "role": role} for team, role in colleague.teams],
        "created_at": rfc3339(user.created_at),
    }


def tenant_json(suspended_at: int | None) -> Mapping[str, Any]:
    return {"suspended": suspended_at is not None, "suspended_at": rfc3339_or_none(suspended_at)}
