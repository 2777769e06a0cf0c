"""A company as a folder: its rows as lines of JSON, its blobs, and a manifest that proves them."""

import asyncio
import base64
import hashlib
import json
import os
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builtin_plugins.backup.blobs import AT_ONCE, Address, BlobsOut, ListedBlob, is_referred
from builtin_plugins.backup.creation import atomic_folder, flush, write_file
from builtin_plugins.backup.manifest import (
    BLOB_LIST,
    BLOBS,
    BackupFault,
    FileChecksum,
    checksum_of_file,
    manifest_digest,
)
from builtin_plugins.backup.ownership import (
    OwnedTable,
    listed,
    quoted,
    read_ownership,
    statement,
)
from guildhall_sdk import Clock, Reader, Row, rfc3339
from guildhall_sdk.blobs import BlobReferences, BlobStore
from guildhall_sdk.data import Data
from guildhall_sdk.engines.pools import Progress
from guildhall_sdk.services.identity import Vault
from libs.coordination import each_of

FORMAT = 1
MANIFEST = "company.json"
TABLES = "tables"
SECRETS = "secrets.jsonl"
_PAGE = 500
#: What another instance makes anew, or what is worth nothing there.
_LEFT = frozenset(
    (
        *("account_links", "blob_holds", "blob_releases", "embedding_passages", "embedding_queue"),
        *("embedding_team_spaces", "event_outbox", "hosted_tenant", "idempotency_keys", "mail_digest_lines"),
        *("mails", "oauth_grants", "oauth_tokens", "push_devices", "push_messages", "quota_holds"),
        *("search_documents", "secrets"),
        *("audit_checkpoints", "audit_heads"),
    )
)
#: With what one can sign in as somebody: only what operators export has it.
_CREDENTIALS = frozenset(
    (
        *("credentials", "job_workers", "passkeys", "recovery_codes", "s3_keys", "scim_tokens"),
        *("sign_in_sessions", "two_factor"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanySource:
    """Where a company is, and what reads it; `vault` is None where its secrets stay."""

    data: Data
    store: BlobStore
    references: Sequence[BlobReferences]
    clock: Clock
    version: str
    steps: Mapping[str, int]
    vault: Vault | None


async def find_company(reader: Reader, ref: str) -> Row:
    """Finds a company by its slug or id; raises `BackupFault`."""
    found = statement("SELECT id, slug, name FROM orgs WHERE slug = :ref OR id = :ref")
    row = await reader.one(found, ref=ref)
    if row is None:
        raise BackupFault(f"there is no company {ref}")
    return row


async def export_company(source: CompanySource, ref: str, target: Path, progress: Progress) -> dict[str, Any]:
    """Writes what a company has into a folder, which is there under its name when it is whole.

    Rows come before those that they point at, so that what is added meanwhile leaves
    none that points at nothing.
    """
    async with source.data.read() as reader:
        org = await find_company(reader, ref)
        ownership = await read_ownership(reader)
    left = _LEFT if source.vault is not None else _LEFT | _CREDENTIALS
    tables = [one for one in ownership.owned if one.name not in left]
    with atomic_folder(target) as work:
        (work / TABLES).mkdir(0o700)
        (work / BLOBS).mkdir(0o700)
        counts = {}
        for table in reversed(tables):
            progress("table", table.name)
            lines = _lines(source, table, org["id"])
            counts[table.name] = await _write_lines(work / TABLES / f"{table.name}.jsonl", lines)
        if source.vault is not None:
            await _write_lines(work / SECRETS, _secrets(source, source.vault, org["id"]))
        blobs = await _export_blobs(source, work, org["id"], progress)
        files = await asyncio.to_thread(_checksums, work)
        content = {
            "format": FORMAT,
            "id": secrets.token_hex(16),
            "version": source.version,
            "exported_at": rfc3339(source.clock.now_ms()),
            "org": {name: org[name] for name in ("id", "slug", "name")},
            "steps": dict(source.steps),
            "tables": counts,
            "files": files,
            "blobs": blobs.count,
            "blob_bytes": blobs.size,
            "lacking": len(blobs.lacking),
            "with_secrets": source.vault is not None,
            "not_covered": ownership.uncovered,
        }
        signed = {**content, "sha256": manifest_digest(content)}
        write_file(work / MANIFEST, (json.dumps(signed, indent=1, sort_keys=True) + "\n").encode())
    return signed


def read_company(folder: Path) -> dict[str, Any]:
    """Reads the manifest of an export and compares every file with it; raises `BackupFault`."""
    try:
        content = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        raise BackupFault(f"{folder} is no export of a company") from None
    if not isinstance(content, dict) or content.pop("sha256", None) != manifest_digest(content):
        raise BackupFault(f"{folder / MANIFEST} is not as it was written; nothing was imported")
    if content.get("format") != FORMAT:
        raise BackupFault(f"{folder} was made by a newer version, {content.get('version')}; use that one")
    for name, expected in content["files"].items():
        path = folder / name
        if not path.is_file() or checksum_of_file(path) != FileChecksum(**expected):
            raise BackupFault(f"{folder}: {name} is missing or damaged; nothing was imported")
    return content


def rows_in(folder: Path, table: str) -> Iterator[dict[str, Any]]:
    with (folder / TABLES / f"{table}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield {name: _decoded(value) for name, value in json.loads(line).items()}


def _decoded(value: Any) -> Any:
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else value


def _encoded(value: Any) -> Any:
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


async def rows_of(reader_of: Data, table: OwnedTable, org_id: str) -> AsyncIterator[Sequence[Row]]:
    """Yields a company's rows of a table by pages, in the order of their keys."""
    key = table.key or table.columns
    where = f"({table.condition})"
    order = f"ORDER BY {listed(key)} LIMIT {_PAGE}"
    first = statement(f"SELECT * FROM {quoted(table.name)} WHERE {where} {order}")
    binds = ", ".join(f":k{number}" for number in range(len(key)))
    after = statement(
        f"SELECT * FROM {quoted(table.name)} WHERE {where} AND ({listed(key)}) > ({binds}) {order}"
    )
    async with reader_of.read() as reader:
        rows = await reader.all(first, org_id=org_id)
    while rows:
        yield rows
        if len(rows) < _PAGE:
            return
        last = {f"k{number}": rows[-1][name] for number, name in enumerate(key)}
        async with reader_of.read() as reader:
            rows = await reader.all(after, org_id=org_id, **last)


async def _lines(source: CompanySource, table: OwnedTable, org_id: str) -> AsyncIterator[str]:
    async for rows in rows_of(source.data, table, org_id):
        for row in rows:
            content = {name: _encoded(row[name]) for name in table.columns}
            if source.vault is None and table.name == "users":
                content |= {"password_hash": None, "two_factor": 0}
            yield json.dumps(content, separators=(",", ":"))


async def _secrets(source: CompanySource, vault: Vault, org_id: str) -> AsyncIterator[str]:
    kept = statement("SELECT kind, ref FROM secrets WHERE org_id = :org_id ORDER BY kind, ref")
    async with source.data.read() as reader:
        rows = await reader.all(kept, org_id=org_id)
    for row in rows:
        async with source.data.read() as reader:
            secret = await vault.get(reader, row["kind"], org_id, row["ref"])
        if secret is not None:
            yield json.dumps({"kind": row["kind"], "ref": row["ref"], "secret": _encoded(secret)})


async def _write_lines(path: Path, lines: AsyncIterator[str]) -> int:
    count = 0
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        async for line in lines:
            file.write(line + "\n")
            count += 1
            if count % _PAGE == 0:
                await asyncio.sleep(0)
    await asyncio.to_thread(flush, path)
    return count


async def addresses_of(
    data: Data, references: Sequence[BlobReferences], org_id: str
) -> AsyncIterator[Address]:
    """Yields the blobs that rows of a company refer to."""
    for one in references:
        after = ""
        while True:
            async with data.read() as reader:
                rows = await reader.all(one.statement, namespace=org_id, sha256=after, limit=_PAGE)
            ours = [row for row in rows if row["namespace"] == org_id]
            for row in ours:
                yield org_id, row["sha256"]
            if len(ours) < _PAGE:
                break
            after = ours[-1]["sha256"]


async def _export_blobs(source: CompanySource, work: Path, org_id: str, progress: Progress) -> BlobsOut:
    async def still_referred(address: Address) -> bool:
        async with source.data.read() as reader:
            return await is_referred(reader, source.references, address)

    wanted = [ListedBlob(*one) async for one in addresses_of(source.data, source.references, org_id)]
    with (work / BLOB_LIST).open("x", encoding="utf-8") as lines:
        os.fchmod(lines.fileno(), 0o600)
        blobs = BlobsOut(source.store, work, lines, still_referred, progress)
        await each_of(wanted, blobs.copy, AT_ONCE)
    flush(work / BLOB_LIST)
    return blobs


def _checksums(work: Path) -> dict[str, Any]:
    found = {}
    for path in sorted(work.rglob("*")):
        if path.is_file() and BLOBS not in path.relative_to(work).parts[:1]:
            checksum = checksum_of_file(path)
            found[str(path.relative_to(work))] = {"size": checksum.size, "sha256": checksum.sha256}
    return found


def signed_receipt(vault: Vault, content: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what was done with this instance's signature over it."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    key = vault.derive("receipts")
    return {**content, "signature": hashlib.blake2b(text.encode(), key=key, digest_size=32).hexdigest()}


async def steps_of(data: Data) -> dict[str, int]:
    """Reads how far the tables of each owner have come."""
    async with data.read() as reader:
        rows = await reader.all(
            statement("SELECT owner, MAX(number) AS number FROM schema_ledger GROUP BY owner ORDER BY owner")
        )
    return {row["owner"]: row["number"] for row in rows}
