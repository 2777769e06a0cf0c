"""Secrets at rest: each sealed to its kind, company and id by a data key that can be changed."""

from collections.abc import Mapping

from guildhall_sdk import Clock, Reader, Writer
from guildhall_sdk.data import Data
from guildhall_sdk.metrics import Measure, measured_by
from guildhall_sdk.services.identity import VaultState
from kernel.secrets.keyfile import ServerKey
from kernel.secrets.keyring import KEYS_LOCK, InstanceKey, Keyring, sql
from libs.sealing import CIPHER, SealBroken, derive_key, new_key, seal, unseal

# A rotation may drop a secret's old key between the reads of the two: the row has the new one by then.
_READS = 3
_IN_ADDRESS = str.maketrans("+/", "-_")
_FROM_ADDRESS = str.maketrans("-_", "+/")


class SealedVault:
    """The SDK's `Vault`. `open` comes after the migrations and before everything else here."""

    def __init__(self, secret_key: bytes | ServerKey, clock: Clock) -> None:
        self._server_key = secret_key if isinstance(secret_key, ServerKey) else None
        # Of a server it is known when the database is: until then one of chance, which opens nothing.
        known = new_key() if isinstance(secret_key, ServerKey) else secret_key
        self.keyring = Keyring(InstanceKey(known), clock)
        self._derived: dict[str, bytes] = {}

    async def open(self, database: Data) -> None:
        """Finds the data keys, or makes the first. Raises `SecretKeyMismatch` for another's database."""
        async with database.read() as reader:
            if await reader.all(sql.data_keys):
                self._take_server_key(sealed=True)
                await self.keyring.load(reader)
        if not self.keyring.complete():
            async with database.write() as writer:
                # One server makes the key, and whoever waited for it knows that it is not theirs.
                await writer.serialize(KEYS_LOCK)
                self._take_server_key(sealed=bool(await writer.all(sql.data_keys)))
                await self.keyring.add_first_keys(writer)

    def _take_server_key(self, *, sealed: bool) -> None:
        if self._server_key is not None:
            find = self._server_key.of_sealed_database if sealed else self._server_key.of_new_database
            self.keyring.instance_key = InstanceKey(find())

    async def put(self, writer: Writer, kind: str, org_id: str, ref: str, secret: bytes) -> None:
        key_id = await self.keyring.hold_active(writer, "seal")
        key = await self.keyring.key(writer, key_id)
        if key is None:
            raise RuntimeError(f"the data key {key_id} vanished while it was held")
        sealed = seal(key, secret, kind, org_id, ref)
        await writer.run(sql.put_secret, kind=kind, org_id=org_id, ref=ref, key_id=key_id, sealed=sealed)

    async def get(self, reader: Reader, kind: str, org_id: str, ref: str) -> bytes | None:
        """Raises `SealBroken` when the row was changed or stands in another's place."""
        for _ in range(_READS):
            row = await reader.one(sql.secret, kind=kind, org_id=org_id, ref=ref)
            if row is None:
                return None
            key = await self.keyring.key(reader, row["key_id"])
            if key is not None:
                return unseal(key, row["sealed"], kind, org_id, ref)
        raise SealBroken(f"the data key of {kind}/{org_id}/{ref} is gone")

    async def delete(self, writer: Writer, kind: str, org_id: str, ref: str) -> None:
        await writer.run(sql.delete_secret, kind=kind, org_id=org_id, ref=ref)

    async def state(self, reader: Reader) -> VaultState:
        row = await reader.one(sql.state)
        if row is None:
            raise RuntimeError("the vault is not open yet")
        return VaultState(CIPHER, row["key_id"], row["awaiting"])

    def measures(self) -> Mapping[str, Measure]:
        return {"guildhall_secrets": measured_by(sql.count_secrets)}

    def derive(self, purpose: str) -> bytes:
        """Comes from a data key that no rotation touches, so that it also outlives a new instance key."""
        if purpose not in self._derived:
            root = self.keyring.active("derive")
            if root is None:
                raise RuntimeError("the vault is not open yet")
            self._derived[purpose] = derive_key(root, purpose)
        return self._derived[purpose]

    def seal(self, purpose: str, text: str) -> str:
        return seal(self.derive(purpose), text.encode(), purpose).translate(_IN_ADDRESS).rstrip("=")

    def unseal(self, purpose: str, sealed: str) -> str | None:
        padded = sealed.translate(_FROM_ADDRESS) + "=" * (-len(sealed) % 4)
        try:
            return unseal(self.derive(purpose), padded, purpose).decode()
        except SealBroken:
            return None
