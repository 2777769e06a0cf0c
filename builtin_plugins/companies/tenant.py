"""The one tenant of a hosted instance, and how its owner gets in."""

import hashlib
import secrets
from pathlib import Path

from guildhall_sdk import Reader, Row, Writer, load_queries
from guildhall_sdk.dataclass import dataclass

ACTIVATION_MS = 72 * 3600 * 1000

_sql = load_queries(Path(__file__).with_name("queries.sql"))


@dataclass(frozen=True, slots=True)
class Tenant:
    org_id: str
    team_id: str
    user_id: str


@dataclass(frozen=True, slots=True)
class Activation:
    """`token` is given to the host once and stored nowhere."""

    token: str
    expires_at: int

    def url(self, base_url: str) -> str:
        """Returns the link; its token is behind a `#`, which no browser sends: it is in no log or Referer."""
        return f"{base_url}/activate#token={self.token}"


async def settle_in(writer: Writer, tenant: Tenant, now_ms: int) -> Activation:
    """Records the tenant, and the token that lets its owner set a password."""
    activation = Activation(secrets.token_urlsafe(32), now_ms + ACTIVATION_MS)
    await writer.run(
        _sql.insert_tenant,
        org_id=tenant.org_id,
        team_id=tenant.team_id,
        user_id=tenant.user_id,
        activation_hash=_hash_of(activation.token),
        activation_expires_at=activation.expires_at,
        now=now_ms,
    )
    return activation


async def tenant_of_instance(reader: Reader) -> Tenant | None:
    return _tenant(await reader.one(_sql.tenant))


async def awaiting_activation(reader: Reader, token: str, now_ms: int) -> Tenant | None:
    """Returns whom the token would let in, or None."""
    return _tenant(await reader.one(_sql.awaiting_activation, activation_hash=_hash_of(token), now=now_ms))


async def spend_activation(writer: Writer, token: str, now_ms: int) -> Tenant | None:
    """Returns whom the token lets in, for exactly one caller."""
    return _tenant(await writer.one(_sql.spend_activation, activation_hash=_hash_of(token), now=now_ms))


def _hash_of(token: str) -> str:
    """Hashes a token by plain SHA-256, which is enough with 256 bits of chance behind it."""
    return hashlib.sha256(token.encode()).hexdigest()


def _tenant(row: Row | None) -> Tenant | None:
    return None if row is None else Tenant(row["org_id"], row["team_id"], row["user_id"])
