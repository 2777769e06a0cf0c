"""A company with all that belongs to it."""

from typing import Any

from builtin_plugins.companies.presentation import org_json, team_json
from guildhall_sdk import Host, Reader
from guildhall_sdk.services.quotas import Quotas
from guildhall_sdk.services.tenancy import Directory, Org, Team

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
