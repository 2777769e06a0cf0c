"""Who is calling: what the authentication gate hands to everything behind it."""

from dataclasses import dataclass
from typing import Literal

CredentialKind = Literal["session", "api", "worker", "s3"]


@dataclass(frozen=True, slots=True)
class Credential:
    """The token in use; `scope` narrows what its owner may do, None means no narrowing."""

    id: str
    kind: CredentialKind
    scope: frozenset[str] | None
    expires_at: int | None


@dataclass(frozen=True, slots=True)
class Principal:
    """A person acting in one team of one company, with the permissions they hold right now."""

    user_id: str
    username: str
    display_name: str
    locale: str
    two_factor: bool
    operator: bool
    team_id: str
    team_name: str
    role: str
    org_id: str
    org_slug: str
    org_name: str
    org_role: str | None
    org_suspended: bool
    credential: Credential
    permissions: frozenset[str]

    def may(self, permission: str) -> bool:
        return permission in self.permissions

    def scope_allows(self, permission: str) -> bool:
        """Whether the credential's scope leaves room for a right that ownership or a grant gives."""
        return self.credential.scope is None or permission in self.credential.scope


@dataclass(frozen=True, slots=True)
class Actor:
    """Who a write is recorded for in the audit trail."""

    name: str
    user_id: str | None = None
    org_id: str | None = None
    team_id: str | None = None
    request_id: str | None = None
