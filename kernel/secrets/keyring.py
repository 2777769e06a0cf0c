"""Data keys: stored wrapped by the instance's key, kept open in memory, looked up again when unknown."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from guildhall_sdk import Clock, Reader, Row, Writer, load_queries, new_id
from kernel.secrets.keyfile import SecretKeyMismatch
from libs.sealing import SealBroken, derive_key, new_key, seal, unseal

sql = load_queries(Path(__file__).with_name("queries.sql"))

Purpose = Literal["seal", "derive"]
PURPOSES: tuple[Purpose, ...] = ("seal", "derive")
KEYS_LOCK = "vault.keys"
_SWITCHES_OUTWAITED = 5


class InstanceKey:
    """The secret key of the instance: it wraps data keys, and a fingerprint tells it from another."""

    def __init__(self, secret_key: bytes) -> None:
        self._wrapping_key = derive_key(secret_key, "guildhall data keys")
        self.fingerprint = derive_key(secret_key, "guildhall fingerprint").hex()[:32]

    def wrap(self, key_id: str, purpose: str, key: bytes) -> str:
        return seal(self._wrapping_key, key, "data_key", purpose, key_id)

    def unwrap(self, row: Row) -> bytes:
        self.check(row)
        try:
            return unseal(self._wrapping_key, row["wrapped"], "data_key", row["purpose"], row["id"])
        except SealBroken:
            raise SecretKeyMismatch(f"the data key {row['id']} was changed and does not open") from None

    def check(self, row: Row) -> None:
        if row["wrapped_by"] != self.fingerprint:
            raise SecretKeyMismatch(
                "this database was sealed with another secret key; start with the one it was made with "
                "(SERVICE_SECRET_KEY, SERVICE_SECRET_KEY_FILE, or secret.key in the data folder): all "
                "servers on one database share it"
            )


@dataclass(slots=True, eq=False)
class Keyring:
    """The data keys this process knows. Rows are loaded once; a key is unwrapped when first used."""

    instance_key: InstanceKey
    clock: Clock
    _rows: dict[str, Row] = field(default_factory=dict)
    _opened: dict[str, bytes] = field(default_factory=dict, repr=False)

    async def load(self, reader: Reader) -> None:
        """Raises `SecretKeyMismatch` when the rows were wrapped by another instance key."""
        rows = {row["id"]: row for row in await reader.all(sql.data_keys)}
        for row in rows.values():
            self.instance_key.check(row)
        self._rows = rows

    async def add_first_keys(self, writer: Writer) -> None:
        """Adds the first keys; of any number of processes that boot at once, one's keys stay."""
        for purpose in PURPOSES:
            await writer.run(sql.add_first_key, **self._fresh(purpose))
        await self.load(writer)

    async def switch(self, writer: Writer, purpose: Purpose) -> str:
        """Makes a new active key. Waits for every write that seals with the one before."""
        await writer.serialize(KEYS_LOCK)
        await self.load(writer)
        await writer.run(sql.retire_keys, purpose=purpose)
        fresh = self._fresh(purpose)
        await writer.run(sql.add_key, **fresh)
        return str(fresh["id"])

    async def hold_active(self, writer: Writer, purpose: Purpose) -> str:
        """Returns the id of the active key, which stays active until the transaction ends."""
        for _ in range(_SWITCHES_OUTWAITED):
            # PostgreSQL gives no row to whoever waited for a switch: the new key is in the next snapshot.
            key_id = await writer.value(sql.hold_active_key, purpose=purpose)
            if key_id is not None:
                return str(key_id)
        raise RuntimeError("the vault has no active data key; it was never opened")

    async def key(self, reader: Reader, key_id: str) -> bytes | None:
        """Returns the key of an id, looked up in the database when this process does not know it yet."""
        if key_id not in self._rows:
            await self.load(reader)
        return self._open(key_id) if key_id in self._rows else None

    def active(self, purpose: Purpose) -> bytes | None:
        """Returns the active key as of the last load."""
        for key_id, row in self._rows.items():
            if row["purpose"] == purpose and row["active"] == 1:
                return self._open(key_id)
        return None

    def complete(self) -> bool:
        active = {row["purpose"] for row in self._rows.values() if row["active"] == 1}
        return active.issuperset(PURPOSES)

    def _open(self, key_id: str) -> bytes:
        if key_id not in self._opened:
            self._opened[key_id] = self.instance_key.unwrap(self._rows[key_id])
        return self._opened[key_id]

    def _fresh(self, purpose: Purpose) -> dict[str, str | int]:
        now = self.clock.now_ms()
        key_id = new_id("key", now)
        return {
            "id": key_id,
            "purpose": purpose,
            "wrapped": self.instance_key.wrap(key_id, purpose, new_key()),
            "wrapped_by": self.instance_key.fingerprint,
            "now": now,
        }
