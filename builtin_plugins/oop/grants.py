"""What a plugin may ask its operator for, and what the operator granted."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from guildhall_sdk import Principal, Reader, Writer, load_queries

sql = load_queries(Path(__file__).with_name("queries.sql"))


class Capability(NamedTuple):
    """`permission` is what the caller of the tool must hold as well."""

    name: str
    description: str
    permission: str
    methods: Sequence[str]


CATALOGUE: Mapping[str, Capability] = {
    one.name: one
    for one in (
        Capability(
            "notes:read",
            "List and read the notes that the caller may read.",
            "notes:read",
            ("notes/list", "notes/read"),
        ),
        Capability(
            "files:read",
            "List the files that the caller may read, and read their text.",
            "files:read",
            ("files/list", "files/read"),
        ),
        Capability(
            "model",
            "Ask a model, metered as the caller's.",
            "chat:use",
            ("model/ask",),
        ),
    )
}

BY_METHOD: Mapping[str, Capability] = {
    method: capability for capability in CATALOGUE.values() for method in capability.methods
}


async def granted(reader: Reader, plugin_id: str, requested: Sequence[str]) -> Sequence[str]:
    """Returns what is granted of what the plugin still requests."""
    rows = await reader.all(sql.granted, plugin_id=plugin_id)
    return [row["capability"] for row in rows if row["capability"] in requested]


async def all_granted(reader: Reader) -> Mapping[str, Sequence[str]]:
    """Returns the capabilities of each plugin, by its id."""
    found: dict[str, list[str]] = {}
    for row in await reader.all(sql.all_granted):
        found.setdefault(row["plugin_id"], []).append(row["capability"])
    return found


async def replace_grants(
    writer: Writer, operator: Principal, plugin_id: str, wanted: Sequence[str], now_ms: int
) -> None:
    """Grants these capabilities and no others, from the commit on."""
    await writer.serialize(f"oop:{plugin_id}")
    before = {row["capability"] for row in await writer.all(sql.granted, plugin_id=plugin_id)}
    for capability in sorted(before - set(wanted)):
        await writer.run(sql.revoke_capability, plugin_id=plugin_id, capability=capability)
    for capability in sorted(set(wanted) - before):
        await writer.run(
            sql.grant_capability,
            plugin_id=plugin_id,
            capability=capability,
            user_id=operator.user_id,
            now=now_ms,
        )
    if before != set(wanted):
        writer.audit("oop.granted", ("oop", plugin_id), detail={"capabilities": sorted(set(wanted))})
