"""What a start found of each plugin, kept in the database for the commands that look in from outside."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from guildhall_sdk import Data, Reader, load_queries
from guildhall_sdk.dataclass import dataclass
from guildhall_sdk.services import PluginStatus

sql = load_queries(Path(__file__).with_name("records.sql"))
_LOCK = "plugin_records"


@dataclass(frozen=True, slots=True)
class PluginRecord:
    """One plugin as the last start of a server left it."""

    id: str
    version: str
    status: str
    reason: str | None
    proof: str | None


async def read_records(reader: Reader) -> Sequence[PluginRecord]:
    """Reads the records; none in a database that no server of this version has started with."""
    if await reader.one(sql.has_records) is None:
        return ()
    return [PluginRecord(**row) for row in await reader.all(sql.records)]


async def save_records(
    data: Data,
    before: Sequence[PluginRecord],
    statuses: Sequence[PluginStatus],
    proofs: Mapping[str, str],
    removed: Sequence[str] = (),
) -> None:
    """Writes nothing where nothing has changed: a start must not wait for the disk without need.

    Those `removed` are remembered, because they left something.
    """
    # Of two with one id the first is loaded or out for a reason of its own; the later ones are out for it.
    now = {
        one.id: PluginRecord(one.id, one.version, one.status, one.reason, proofs.get(one.id))
        for one in reversed(statuses)
    }
    now |= {plugin_id: PluginRecord(plugin_id, "", "removed", None, None) for plugin_id in removed}
    if now == {record.id: record for record in before}:
        return
    async with data.write() as writer:
        await writer.serialize(_LOCK)
        await writer.run(sql.forget_records)
        for record in now.values():
            await writer.run(
                sql.record,
                id=record.id,
                version=record.version,
                status=record.status,
                reason=record.reason,
                proof=record.proof,
            )
