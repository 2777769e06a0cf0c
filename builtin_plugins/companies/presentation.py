"""Companies, teams and people as answers show them."""

from collections.abc import Mapping
from typing import Any

from guildhall_sdk import Host, Reader, rfc3339, rfc3339_or_none
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.tenancy import Colleague, Directory, Org, Team


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


_TEAMS_PER_STEP = 500


async def org_with_teams_and_quotas(reader: Reader, host: Host, org: Org) -> dict[str, Any]:
    """Returns the company with its teams and its quotas."""
    usage = await host.service(Quotas).usage(reader, org.id)
    return {
        **org_json(org),
        "teams": [team_json(team) for team in await _teams(reader, host, org.id)],
        "quotas": [row.public() for row in usage],
    }


async def _teams(reader: Reader, host: Host, org_id: str) -> list[Team]:
    teams: list[Team] = []
    while True:
        after = teams[-1].id if teams else None
        step = await host.service(Directory).teams_of_org(reader, org_id, after, _TEAMS_PER_STEP)
        teams += step
        if len(step) < _TEAMS_PER_STEP:
            return teams
