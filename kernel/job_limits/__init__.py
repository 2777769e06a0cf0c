"""What limits the jobs of a company and of its teams, as the scheduler keeps it."""

import json
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Literal

from guildhall_sdk import Reader, Row, Writer, load_queries

Block = Literal["suspension", "limit"]
#: Why the jobs of a lane may not run now.
BLOCKS: tuple[Block, ...] = ("suspension", "limit")

_sql = load_queries(Path(__file__).with_name("queries.sql"))


class StoredJobLimits:
    """The SDK's `JobLimits`; `on_change` is called once a limit is another one."""

    def __init__(self, on_change: Callable[[], None] = lambda: None) -> None:
        self._on_change = on_change

    async def set_company_cap(self, writer: Writer, org_id: str, cap: int | None) -> None:
        await writer.run(_sql.set_company_cap, org_id=org_id, cap=cap)
        await set_blocked(writer, "limit", [org_id], blocked=False)
        writer.after_commit(self._on_change)

    async def set_team_cap(self, writer: Writer, team_id: str, cap: int | None) -> None:
        company = await writer.all(_sql.wait_for_claims, team_id=team_id)
        await writer.run(_sql.set_team_cap, team_id=team_id, cap=cap)
        await set_blocked(writer, "limit", [row["org_id"] for row in company], [team_id], blocked=False)
        writer.after_commit(self._on_change)

    async def set_weight(self, writer: Writer, org_id: str, weight: float) -> None:
        await writer.run(_sql.set_weight, org_id=org_id, weight=weight)

    async def running(self, reader: Reader, org_id: str, team_id: str) -> tuple[int, int]:
        [row] = await reader.all(_sql.running, org_id=org_id, team_id=team_id)
        return row["org"], row["team"]


async def add_company(writer: Writer, org_id: str) -> None:
    """Lets jobs of a new company be claimed."""
    await writer.run(_sql.add_company, org_id=org_id)


async def set_suspended(writer: Writer, org_id: str, at_ms: int | None) -> None:
    """Keeps the company's jobs from being claimed, or lets them; waits for a claim that is under way."""
    await writer.run(_sql.set_suspended, org_id=org_id, at=at_ms)
    await set_blocked(writer, "suspension", [org_id], blocked=at_ms is not None)


async def set_blocked(
    writer: Writer,
    by: Block,
    companies: Collection[str],
    teams: Collection[str] | None = None,
    *,
    blocked: bool,
) -> Sequence[Row]:
    """Keeps claims from the lanes of these companies, or lets them come by those that were blocked for this.

    With `teams` those of these alone, and of every team of a company whose teams share what it may run when
    they are cleared. Returns the lanes that changed; `blocked_by` is set and cleared here alone.
    """
    of_companies, of_teams = json.dumps(dict.fromkeys(companies)), json.dumps(dict.fromkeys(teams or ()))
    binds = {"by": by, "companies": of_companies, "teams": of_teams, "every_team": int(teams is None)}
    return await writer.all(_sql.block_lanes if blocked else _sql.unblock_lanes, **binds)
