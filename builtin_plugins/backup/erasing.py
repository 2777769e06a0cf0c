"""A company or a person goes for good: rows, contents, search, secrets; the trail keeps ids alone.

Each step may be repeated: killed, the same command goes on, as what it is found by goes last.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from builtin_plugins.backup.blobs import is_referred
from builtin_plugins.backup.companies import addresses_of, find_company, signed_receipt
from builtin_plugins.backup.manifest import BackupFault
from builtin_plugins.backup.ownership import (
    TRAIL,
    OwnedTable,
    Ownership,
    listed,
    quoted,
    read_ownership,
    statement,
)
from guildhall_sdk import Clock, rfc3339
from guildhall_sdk.blobs import BlobReferences, BlobsNotListed, BlobStore
from guildhall_sdk.data import Data
from guildhall_sdk.engines.pools import Progress
from guildhall_sdk.retention import AuditRetention
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.search import SearchIndex
from guildhall_sdk.services.tenancy import Directory

_PAGE = 200
#: What the team sees, or counts: it stays, with the id of who made it.
SHARED = frozenset(
    (
        *("ai_usage", "ai_usage_days", "event_outbox", "hosted_tenant", "jobs", "l10n_history"),
        *("s3_uploads", "translations"),
    )
)
#: Things of one person, by the column that says so, as long as nobody else was let in.
PRIVATE: Mapping[str, str] = {
    "conversations": "owner_id = :user_id AND NOT EXISTS"
    " (SELECT 1 FROM conversation_grants AS g WHERE g.conversation_id = conversations.id)",
    "conversation_folders": "owner_id = :user_id AND NOT EXISTS"
    " (SELECT 1 FROM conversations AS c WHERE c.folder_id = conversation_folders.id)",
    "notes": "owner_id = :user_id AND visibility = 'private' AND NOT EXISTS"
    " (SELECT 1 FROM note_shares AS s WHERE s.note_id = notes.id)",
    "objects": "owner_id = :user_id AND visibility = 'private' AND NOT EXISTS"
    " (SELECT 1 FROM object_grants AS g WHERE g.object_id = objects.id)",
}
#: A person's too, by what they belong to, which cannot go before them.
BELONGING: Mapping[str, str] = {
    "oauth_tokens": "grant_id IN (SELECT id FROM oauth_grants WHERE user_id = :user_id)",
    "push_messages": "device_id IN (SELECT id FROM push_devices WHERE user_id = :user_id)",
}
#: With an owner, and the team's all the same.
OF_TEAMS = frozenset(("hooks_in", "schedules", "webhooks"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasing:
    """What erases: the services of an instance, beside its server too."""

    data: Data
    store: BlobStore
    references: Sequence[BlobReferences]
    clock: Clock
    vault: Vault
    index: SearchIndex
    trail: AuditRetention
    directory: Directory
    progress: Progress
    counts: dict[str, int] = field(default_factory=dict)

    async def company(self, ref: str) -> dict[str, Any]:
        """Erases a company and returns the signed receipt."""
        async with self.data.read() as reader:
            org = await find_company(reader, ref)
            ownership = await read_ownership(reader)
        org_id = org["id"]
        async with self.data.write() as writer:
            await self.directory.set_suspended(writer, org_id, self.clock.now_ms())
        await self._forget_in_search("org_id = :id", org_id)
        blobs = {address async for address in addresses_of(self.data, self.references, org_id)}
        for table in reversed(ownership.owned):
            if table.name not in TRAIL and table.name != "orgs":
                await self._erase_rows(table, org_id)
        blobs |= await self._stored(org_id)
        for namespace, sha256 in sorted(blobs):
            await self.store.delete(namespace, sha256)
        redacted = await self._redact(org_id, None, ())
        async with self.data.write() as writer:
            gone = statement("DELETE FROM orgs WHERE id = :id")
            await writer.run(gone, id=org_id)
            writer.audit("company.erased", ("org", org_id))
        return self._receipt("org", org_id, ownership, blobs=len(blobs), events=redacted)

    async def person(self, name: str) -> dict[str, Any]:
        """Erases a person and returns the signed receipt; what the team sees stays, without their name."""
        async with self.data.read() as reader:
            ownership = await read_ownership(reader)
            found = statement(
                "SELECT id, org_id, username, username_key, display_name FROM users"
                " WHERE username = :name OR username_key = :name OR id = :name"
            )
            user = await reader.one(found, name=name)
        if user is None or user["username"] == user["id"]:
            raise BackupFault(f"there is no person {name}")
        user_id, org_id = user["id"], user["org_id"]
        async with self.data.write() as writer:
            await self.directory.set_person_suspended(writer, org_id, user_id, self.clock.now_ms())
        digests = await self._private_contents(user_id)
        for table, condition in PRIVATE.items():
            if table in ownership.tables:
                ref = f"SELECT id FROM {table} WHERE {condition.replace(':user_id', ':id')}"
                await self._forget_in_search(f"ref_id IN ({ref})", user_id)
                await self._erase_where(ownership.tables[table], condition, user_id)
        for owned in reversed(ownership.owned):
            if "user_id" in owned.columns and owned.name not in SHARED:
                await self._erase_where(owned, "user_id = :user_id", user_id)
            elif owned.name in BELONGING:
                await self._erase_where(owned, BELONGING[owned.name], user_id)
            elif {"principal_type", "principal_id"} <= set(owned.columns):
                where = "principal_type = 'user' AND principal_id = :user_id"
                await self._erase_where(owned, where, user_id)
        blobs = await self._delete_unreferred(org_id, digests)
        names = (user["username"], user["username_key"], user["display_name"])
        redacted = await self._redact(org_id, user_id, names) + await self._redact("instance", user_id, names)
        async with self.data.write() as writer:
            for text in (
                "DELETE FROM secrets WHERE org_id = :org_id AND ref = :id",
                "UPDATE users SET username = :id, username_key = :id, display_name = '',"
                " password_hash = NULL, two_factor = 0, operator = 0, org_role = NULL, last_seen_at = NULL,"
                " removed_at = :now"
                " WHERE id = :id AND org_id = :org_id",
            ):
                binds = {"id": user_id, "org_id": org_id, "now": self.clock.now_ms()}
                await writer.run(
                    statement(text), **{key: value for key, value in binds.items() if f":{key}" in text}
                )
            writer.audit("person.erased", ("user", user_id), detail={"org_id": org_id})
        return self._receipt("person", user_id, ownership, blobs=blobs, events=redacted)

    async def _erase_rows(self, table: OwnedTable, org_id: str) -> None:
        assert table.condition is not None
        await self._erase_some(table, table.condition, {"org_id": org_id})

    async def _erase_where(self, table: OwnedTable, condition: str, user_id: str) -> None:
        await self._erase_some(table, condition, {"user_id": user_id})

    async def _erase_some(self, table: OwnedTable, condition: str, binds: Mapping[str, Any]) -> None:
        """Erases by portions, so that nobody waits long for a turn to write."""
        key = table.key or table.columns
        name, keys = quoted(table.name), listed(key)
        # Rows of a table may point at one another: all of it goes at once there.
        limit = "" if any(one.table == table.name for one in table.references) else f" LIMIT {_PAGE}"
        erase = statement(
            f"DELETE FROM {name} WHERE ({keys}) IN (SELECT {keys} FROM {name} WHERE {condition}{limit})"
            f" RETURNING 1 AS one"
        )
        while True:
            self.progress("table", table.name)
            async with self.data.write() as writer:
                gone = len(await writer.all(erase, **binds))
            if gone:
                self.counts[table.name] = self.counts.get(table.name, 0) + gone
            if not gone or not limit or gone < _PAGE:
                return

    async def _forget_in_search(self, condition: str, id: str) -> None:
        found = statement(f"SELECT type, ref_id FROM search_documents WHERE {condition} LIMIT {_PAGE}")
        while True:
            async with self.data.write() as writer:
                rows = await writer.all(found, id=id)
                for row in rows:
                    await self.index.remove(writer, row["type"], row["ref_id"])
            if not rows:
                return
            self.counts["search_documents"] = self.counts.get("search_documents", 0) + len(rows)

    async def _stored(self, org_id: str) -> set[tuple[str, str]]:
        try:
            return {(blob.namespace, blob.sha256) async for blob in self.store.list(org_id)}
        except BlobsNotListed:
            return set()

    async def _private_contents(self, user_id: str) -> list[str]:
        where = PRIVATE["objects"]
        found = statement(
            "SELECT DISTINCT v.sha256 FROM object_versions AS v JOIN objects ON objects.id = v.object_id"
            f" WHERE v.sha256 IS NOT NULL AND {where}"
        )
        async with self.data.read() as reader:
            return [row["sha256"] for row in await reader.all(found, user_id=user_id)]

    async def _delete_unreferred(self, org_id: str, digests: Sequence[str]) -> int:
        count = 0
        for sha256 in digests:
            async with self.data.read() as reader:
                needed = await is_referred(reader, self.references, (org_id, sha256))
            if not needed:
                async with self.data.write() as writer:
                    inline = statement("DELETE FROM small_blobs WHERE org_id = :org_id AND sha256 = :sha256")
                    await writer.run(inline, org_id=org_id, sha256=sha256)
                await self.store.delete(org_id, sha256)
                count += 1
        return count

    async def _redact(self, chain: str, person: str | None, names: Sequence[str]) -> int:
        after, count = 0, 0
        while True:
            async with self.data.write() as writer:
                portion = await self.trail.redact(writer, chain, after, person=person, names=names)
            if portion is None:
                return count
            after, redacted = portion
            count += redacted
            await asyncio.sleep(0)

    def _receipt(
        self, kind: str, id: str, ownership: Ownership, *, blobs: int, events: int
    ) -> dict[str, Any]:
        return signed_receipt(
            self.vault,
            {
                "erased": kind,
                "id": id,
                "at": rfc3339(self.clock.now_ms()),
                "rows": dict(sorted(self.counts.items())),
                "blobs": blobs,
                "audit_events_redacted": events,
                "not_covered": ownership.uncovered,
                "note": "Backups and exports that were made before still hold it, until they are deleted.",
            },
        )
