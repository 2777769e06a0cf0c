"""A company's export into another instance: whole, in one transaction, or not at all."""

import asyncio
import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builtin_plugins.backup.blobs import AT_ONCE, ListedBlob, put_back, read_list
from builtin_plugins.backup.companies import SECRETS, read_company, rows_in
from builtin_plugins.backup.manifest import BLOB_LIST, BackupFault
from builtin_plugins.backup.ownership import (
    TRAIL,
    OwnedTable,
    Ownership,
    listed,
    quoted,
    read_ownership,
    statement,
)
from guildhall_sdk import Problem, SearchSource, Writer
from guildhall_sdk.blobs import BlobStore
from guildhall_sdk.data import Data
from guildhall_sdk.engines.pools import Progress
from guildhall_sdk.principal import Actor
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.search import Findable, SearchIndex
from libs.coordination import each_of

_PAGE = 200
#: Nobody becomes an operator here, and a company that left while it was suspended can be worked in again.
_OVER: Mapping[str, Mapping[str, Any]] = {
    "users": {"operator": 0},
    "orgs": {"suspended_at": None, "domain": None},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyTarget:
    """The instance that a company comes to."""

    data: Data
    store: BlobStore
    vault: Vault
    index: SearchIndex
    sources: tuple[SearchSource, ...]
    steps: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Imported:
    org: Mapping[str, str]
    rows: int
    blobs: int
    #: Rows that pointed at what was deleted while the export was made.
    dropped: int


async def import_company(target: CompanyTarget, folder: Path, progress: Progress) -> Imported:
    """Imports an export; its blobs come first, which do no harm without their rows."""
    manifest = await asyncio.to_thread(read_company, folder)
    _check_steps(manifest["steps"], target.steps)
    org = manifest["org"]
    async with target.data.read() as reader:
        ownership = await read_ownership(reader)
    unknown = sorted(manifest["tables"].keys() - ownership.tables.keys())
    if unknown:
        raise BackupFault(f"there is no table {unknown[0]} here: the plugin that has it is not installed")
    await _check_free(target.data, folder, org)
    blobs = await _put_blobs(target.store, folder, org["id"], progress)
    rows, dropped = 0, 0
    async with target.data.write(Actor("system", org["id"])) as writer:
        await _check_free_within(writer, folder, org)
        filling = _Filling(writer, ownership, org["id"], manifest["with_secrets"])
        for table in ownership.owned:
            if table.name in manifest["tables"] and table.name not in TRAIL:
                progress("table", table.name)
                rows += await filling.fill(table, rows_in(folder, table.name))
        dropped = filling.dropped
        if manifest["with_secrets"]:
            await _put_secrets(target.vault, writer, folder, org["id"])
        # The index looks at all that there is once more, unless what follows comes to its end.
        await writer.run(statement("DELETE FROM search_progress"))
        detail = {"export": manifest["id"], "rows": rows, "blobs": blobs}
        writer.audit("company.imported", ("org", org["id"]), detail=detail)
    await _index(target, org["id"], progress)
    return Imported(org, rows, blobs, dropped)


def _check_steps(theirs: Mapping[str, int], ours: Mapping[str, int]) -> None:
    for owner, number in theirs.items():
        if ours.get(owner, 0) != number:
            raise BackupFault(
                f"the export has the tables of {owner} at step {number}, this instance at "
                f"{ours.get(owner, 'none')}: bring both to the same version, and export again"
            )


async def _check_free(data: Data, folder: Path, org: Mapping[str, str]) -> None:
    async with data.write() as writer:
        await _check_free_within(writer, folder, org)


async def _check_free_within(writer: Writer, folder: Path, org: Mapping[str, str]) -> None:
    """Raises where the company or one of its people is here already."""
    there = statement("SELECT slug FROM orgs WHERE id = :id OR slug = :slug")
    if await writer.one(there, id=org["id"], slug=org["slug"]) is not None:
        raise BackupFault(f"the company {org['slug']} is here already; nothing was imported")
    taken = statement("SELECT username FROM users WHERE username_key = :key OR id = :id")
    for user in rows_in(folder, "users"):
        found = await writer.one(taken, key=user["username_key"], id=user["id"])
        if found is not None:
            raise BackupFault(f"the username {found['username']} is taken here; nothing was imported")


class _Filling:
    """Puts rows into their tables, and remembers what other rows may point at."""

    def __init__(self, writer: Writer, ownership: Ownership, org_id: str, with_secrets: bool) -> None:
        self._writer = writer
        self._org_id = org_id
        self._with_secrets = with_secrets
        self._ownership = ownership
        self._kept: dict[tuple[str, str], set[Any]] = {
            (one.table, one.to): set() for table in ownership.tables.values() for one in table.references
        }
        self.dropped = 0

    async def fill(self, table: OwnedTable, rows: Iterable[Mapping[str, Any]]) -> int:
        # What a trigger made of rows that were put in before is among these.
        await self._writer.run(
            statement(f"DELETE FROM {quoted(table.name)} WHERE {table.condition}"), org_id=self._org_id
        )
        binds = ", ".join(f":c{number}" for number in range(len(table.columns)))
        insert = statement(f"INSERT INTO {quoted(table.name)} ({listed(table.columns)}) VALUES ({binds})")
        count = 0
        for row in self._in_order(table, rows):
            if row.keys() != set(table.columns):
                raise BackupFault(f"{table.name} has other columns here; nothing was imported")
            content = {**row, **_OVER.get(table.name, {})}
            values = {f"c{number}": content[name] for number, name in enumerate(table.columns)}
            try:
                await self._writer.run(insert, **values)
            except Problem:
                raise
            except Exception as error:
                raise BackupFault(
                    f"a row of {table.name} is not taken here: {type(error).__name__}; nothing was imported"
                ) from error
            count += 1
        there = statement(f"SELECT COUNT(*) AS n FROM {quoted(table.name)} WHERE {table.condition}")
        if await self._writer.value(there, org_id=self._org_id) != count:
            raise BackupFault(f"{table.name} has rows of another company; nothing was imported")
        return count

    def _in_order(self, table: OwnedTable, rows: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
        """Yields rows after those that they point at, and leaves out those that point at nothing."""
        own = [one for one in table.references if one.table == table.name]
        waiting = list(rows) if own else rows
        while True:
            put_off = []
            for row in waiting:
                if not self._points_well(table, row):
                    self.dropped += 1
                elif all(row[one.column] in (None, *self._of(one)) for one in own):
                    self._note(table, row)
                    yield row
                else:
                    put_off.append(row)
            if not put_off or len(put_off) == len(waiting if isinstance(waiting, list) else []):
                self.dropped += len(put_off)
                return
            waiting = put_off

    def _of(self, reference: Any) -> set[Any]:
        return self._kept[(reference.table, reference.to)]

    def _points_well(self, table: OwnedTable, row: Mapping[str, Any]) -> bool:
        return all(
            row[one.column] is None
            or one.table == table.name
            or one.table not in self._ownership.tables
            or self._ownership.tables[one.table].condition is None
            or row[one.column] in self._of(one)
            for one in table.references
        )

    def _note(self, table: OwnedTable, row: Mapping[str, Any]) -> None:
        for column in table.columns:
            if (table.name, column) in self._kept:
                self._kept[(table.name, column)].add(row[column])


async def _put_blobs(store: BlobStore, folder: Path, org_id: str, progress: Progress) -> int:
    kept = [blob for blob in read_list(folder / BLOB_LIST) if blob.state == "kept"]
    if any(blob.namespace != org_id for blob in kept):
        raise BackupFault(f"{BLOB_LIST} has blobs of another company; nothing was imported")

    async def put(blob: ListedBlob) -> None:
        await put_back(store, folder, blob)
        progress("blobs", blob.sha256[:8])

    await each_of(kept, put, AT_ONCE)
    return len(kept)


async def _put_secrets(vault: Vault, writer: Writer, folder: Path, org_id: str) -> None:
    for line in (folder / SECRETS).read_text("utf-8").splitlines():
        one = json.loads(line)
        await vault.put(writer, one["kind"], org_id, one["ref"], base64.b64decode(one["secret"]["base64"]))


async def _index(target: CompanyTarget, org_id: str, progress: Progress) -> None:
    """Makes what came findable; the next start does it where this was killed."""
    for source in target.sources:
        after = ""
        while source.every is not None:
            async with target.data.write() as writer:  # the statement locks what it reads
                rows = await writer.all(source.every, after=after, limit=_PAGE)
            ours = [row for row in rows if row["org_id"] == org_id]
            prepared = [await target.index.prepare(org_id, row["text"]) for row in ours]
            async with target.data.write() as writer:
                for row, text in zip(ours, prepared, strict=True):
                    found = Findable(
                        source.type,
                        row["ref_id"],
                        org_id,
                        row["team_id"],
                        row["title"],
                        row["text"],
                        prepared=text,
                    )
                    await target.index.put(writer, found)
            progress("search", source.type)
            if len(rows) < _PAGE:
                break
            after = rows[-1]["ref_id"]
