"""What was made from what."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.repo import finding
from builtin_plugins.repo.object_row import Record
from builtin_plugins.repo.rights import READ
from guildhall_sdk import Principal, Reader, Writer, load_queries
from guildhall_sdk.services.stored_objects import Derivation, StoredVersion, VersionPart

sql = load_queries(Path(__file__).with_name("provenance.sql"))

MAX_DERIVATIONS = 1000
MAX_RUNS = 100


async def record(
    writer: Writer, caller: Principal, derived: StoredVersion, source: Derivation, now_ms: int
) -> None:
    """Raises `NotFound` for a source that the caller cannot read."""
    found = await finding.readable(writer, caller, source.object_id, now_ms)
    await hold_version(writer, found.org_id, found.id, source.version)
    await finding.version(writer, found, source.version)
    await writer.run(
        sql.insert_derivation,
        derived_id=derived.object_id,
        derived_number=derived.number,
        source_id=found.id,
        source_number=source.version,
        org_id=derived.org_id,
        run_id=source.run_id,
        step=source.step,
        now=now_ms,
    )


async def hold_version(writer: Writer, org_id: str, object_id: str, number: int) -> bool:
    """Keeps a version from going by rule until the transaction ends; tells whether it is there."""
    row = await writer.one(sql.hold_version, id=object_id, number=number, org_id=org_id)
    return row is not None


async def record_parts(writer: Writer, version: StoredVersion, parts: Sequence[VersionPart]) -> None:
    await writer.run(
        sql.insert_parts,
        version_id=version.id,
        org_id=version.org_id,
        parts=json.dumps([(part.number, part.start, part.size, part.checksum) for part in parts]),
    )


async def parts_of(reader: Reader, version: StoredVersion, after: int, limit: int) -> Sequence[VersionPart]:
    rows = await reader.all(sql.parts, version_id=version.id, org_id=version.org_id, after=after, limit=limit)
    return [VersionPart(**row) for row in rows]


async def read_derivations(reader: Reader, caller: Principal, of: Record, now_ms: int) -> dict[str, Any]:
    """Returns direct sources and what was derived, of those that the caller can read."""
    rows = await reader.all(
        sql.derivations,
        id=of.id,
        org_id=of.org_id,
        team_id=caller.team_id,
        user_id=caller.user_id,
        by_role=int(caller.may(READ)),
        now=now_ms,
        limit=MAX_DERIVATIONS,
    )
    sources, derived = [], []
    for row in rows:
        entry = {"object_id": row["object_id"], "key": row["key"]}
        made = {"run_id": row["run_id"], "step": row["step"]}
        if row["derived_id"] == of.id:
            sources.append({**entry, "version": row["source_number"], **made})
        else:
            derived.append({**entry, "version": row["derived_number"], **made})
    return {"sources": sources, "derived": derived}


async def derived_in_step(reader: Reader, source: Record, step: str) -> Mapping[str, str]:
    """Returns what was derived from an object in a step and stands, whoever may see it: ids by their keys."""
    rows = await reader.all(
        sql.derived_in_step,
        id=source.id,
        org_id=source.org_id,
        team_id=source.team_id,
        step=step,
        limit=MAX_DERIVATIONS,
    )
    return {row["key"]: row["id"] for row in rows}


async def runs_of(reader: Reader, of: Record) -> Sequence[str]:
    """Returns the ids of the runs that made an object or something from it, the last first."""
    rows = await reader.all(sql.runs_of, id=of.id, org_id=of.org_id, limit=MAX_RUNS)
    return [row["run_id"] for row in rows]
