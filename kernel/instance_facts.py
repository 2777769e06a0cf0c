"""Facts about the instance as a whole, a short text for each key, and which servers work on it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from guildhall_sdk import Reader, Writer, load_queries
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.services.server import LiveServer

sql = load_queries(Path(__file__).with_suffix(".sql"))


class StoredFacts:
    """Implements the SDK's `InstanceFacts`."""

    async def find(self, reader: Reader, key: str) -> str | None:
        found: str | None = await reader.value(sql.find, key=key)
        return found

    async def below(self, reader: Reader, prefix: str) -> Mapping[str, str]:
        beyond = prefix.removesuffix(":") + ";"
        rows = await reader.all(sql.below, prefix=prefix, beyond=beyond)
        return {row["key"]: row["value"] for row in rows}

    async def set(self, writer: Writer, key: str, value: str) -> None:
        await writer.run(sql.put, key=key, value=value)

    async def remove(self, writer: Writer, key: str, *, value: str | None = None) -> None:
        if value is None:
            await writer.run(sql.remove, key=key)
        else:
            await writer.run(sql.remove_value, key=key, value=value)

    async def live_servers(self, reader: Reader) -> Sequence[LiveServer]:
        return [LiveServer(**row) for row in await reader.all(sql.live_servers)]


async def server_runs(reader: Reader, engine: DatabaseEngine) -> bool:
    """Tells whether a server is known to share this database; the one that owns a file has no row."""
    has_table = await reader.one(engine.schema.table_exists, name="processes") is not None
    return has_table and await reader.one(sql.a_server_runs) is not None
