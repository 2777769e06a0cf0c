"""The one tenant of a hosted instance."""

from dataclasses import dataclass
from pathlib import Path

from guildhall_sdk import Reader, Writer, load_queries

_sql = load_queries(Path(__file__).with_name("queries.sql"))


@dataclass(frozen=True, slots=True)
class Tenant:
    org_id: str
    team_id: str
    user_id: str


async def settle_in(writer: Writer, tenant: Tenant, now_ms: int) -> None:
    """Records the tenant."""
    await writer.run(
        _sql.insert_tenant,
        org_id=tenant.org_id,
        team_id=tenant.team_id,
        user_id=tenant.user_id,
        now=now_ms,
    )


async def tenant_of_instance(reader: Reader) -> Tenant | None:
    row = await reader.one(_sql.tenant)
    return None if row is None else Tenant(row["org_id"], row["team_id"], row["user_id"])


async def note_activation(writer: Writer, user_id: str, now_ms: int) -> bool:
    """Notes that the tenant's owner let themself in; returns False for others, and for a second time."""
    return await writer.one(_sql.note_activation, user_id=user_id, now=now_ms) is not None
