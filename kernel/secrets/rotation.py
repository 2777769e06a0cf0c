"""New keys for old secrets, while the server may run."""

from guildhall_sdk import Actor, Row, Writer
from guildhall_sdk.data import Data
from guildhall_sdk.services.identity import Rotation
from kernel.secrets.keyfile import SecretKeyMismatch
from kernel.secrets.keyring import KEYS_LOCK, InstanceKey, sql
from kernel.secrets.vault import SealedVault
from libs.sealing import SealBroken, seal, unseal

BATCH = 100
OPERATOR = Actor("operator")
_PLACE = ("kind", "org_id", "ref")


async def rotate(database: Data, vault: SealedVault, *, batch: int = BATCH) -> Rotation:
    """Makes a new data key, seals every secret anew in bounded batches, then drops the old keys.

    Killed half-way it has lost nothing: both keys are known, and the next rotation takes up the rest.
    """
    async with database.write(OPERATOR) as writer:
        key_id = await vault.keyring.switch(writer, "seal")
        writer.audit("secrets.rotated", ("data_key", key_id))
    resealed, unreadable, last = 0, list[str](), dict.fromkeys(_PLACE, "")
    while True:
        async with database.write() as writer:
            active = await vault.keyring.hold_active(writer, "seal")
            rows = await writer.all(sql.secrets_to_reseal, active=active, **last, limit=batch)
            for row in rows:
                last = {name: row[name] for name in _PLACE}
                try:
                    resealed += await _reseal(writer, vault, active, row)
                except SealBroken:
                    unreadable.append("/".join(last.values()))
        if len(rows) < batch:
            break
    async with database.write() as writer:
        dropped = await writer.all(sql.drop_unused_keys, purpose="seal")
    return Rotation(key_id, resealed, tuple(unreadable), len(dropped))


async def _reseal(writer: Writer, vault: SealedVault, active: str, row: Row) -> bool:
    """Seals a secret anew; returns False when somebody put or deleted it meanwhile: theirs stands."""
    place = {name: row[name] for name in _PLACE}
    old = await vault.keyring.key(writer, row["key_id"])
    new = await vault.keyring.key(writer, active)
    if old is None or new is None:
        raise SealBroken("its data key is gone")
    sealed = seal(new, unseal(old, row["sealed"], *place.values()), *place.values())
    changed = {"key_id": active, "sealed": sealed, "was": row["sealed"]}
    return await writer.one(sql.reseal, **place, **changed) is not None


async def rewrap(database: Data, old_secret_key: bytes, new_secret_key: bytes) -> tuple[int, int]:
    """Wraps all data keys by a new instance key, in one transaction. Servers need it from then on.

    Raises `SecretKeyMismatch`, and changes nothing, when a key is wrapped by neither of the two. Running it
    again is harmless.
    """
    old, new = InstanceKey(old_secret_key), InstanceKey(new_secret_key)
    async with database.write(OPERATOR) as writer:
        await writer.serialize(KEYS_LOCK)
        rows = await writer.all(sql.data_keys)
        to_move = [row for row in rows if row["wrapped_by"] != new.fingerprint]
        for row in to_move:
            wrapped = new.wrap(row["id"], row["purpose"], old.unwrap(row))
            if not await writer.one(
                sql.rewrap_key, id=row["id"], wrapped=wrapped, wrapped_by=new.fingerprint, was=row["wrapped"]
            ):
                raise SecretKeyMismatch(f"the data key {row['id']} changed meanwhile; run it again")
        if to_move:
            writer.audit("secrets.rewrapped", detail={"keys": len(to_move)})
    return len(to_move), len(rows) - len(to_move)
