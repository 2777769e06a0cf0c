"""What limits the jobs of a company and of its teams, as the scheduler keeps it."""

from pathlib import Path

from guildhall_sdk import Reader, Writer, load_queries
from kernel.job_limits.blocked_lanes import block_lanes, unblock_lanes

_sql = load_queries(Path(__file__).with_name("queries.sql"))


class StoredJobLimits:
    """The SDK's `JobLimits`."""

    async def set_company_cap(self, writer: Writer, org_id: str, cap: int | None) -> None:
        await writer.run(_sql.set_company_cap, org_id=org_id, cap=cap)
        await unblock_lanes(writer, "limit", [org_id])

    async def set_team_cap(self, writer: Writer, team_id: str, cap: int | None) -> None:
        company = await writer.all(_sql.wait_for_claims, team_id=team_id)
        await writer.run(_sql.set_team_cap, team_id=team_id, cap=cap)
        await unblock_lanes(writer, "limit", [row["org_id"] for row in company], [team_id])

    async def set_weight(self, writer: Writer, org_id: str, weight: float) -> None:
        await writer.run(_sql.set_weight, org_id=org_id, weight=weight)

    async def running(self, reader: Reader, org_id: str, team_id: str) -> tuple[int, int]:
        row = await reader.one(_sql.running, org_id=org_id, team_id=team_id)
        assert row is not None
        return row["org"], row["team"]


async def add_company(writer: Writer, org_id: str) -> None:
    """Lets jobs of a new company be claimed."""
    await writer.run(_sql.add_company, org_id=org_id)


async def set_suspended(writer: Writer, org_id: str, at_ms: int | None) -> None:
    """Keeps the company's jobs from being claimed, or lets them; waits for a claim that is under way."""
    await writer.run(_sql.set_suspended, org_id=org_id, at=at_ms)
    await (unblock_lanes if at_ms is None else block_lanes)(writer, "suspension", [org_id])
