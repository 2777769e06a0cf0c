"""Who is calling: what the authentication gate hands to everything behind it."""

from dataclasses import dataclass
from typing import Literal

from guildhall_sdk.errors import Forbidden, PermissionDenied, Unauthenticated

CredentialKind = Literal["session", "api", "worker", "s3", "job"]


@dataclass(frozen=True, slots=True)
class Credential:
    """The token in use; `scope` narrows what its owner may do, None means no narrowing.

    `began_at` is when the person signed in; a session that another session made has the beginning of that.
    `last_used_at` is when a use of it was last noted, or when it was made. `made_with` is the API token that
    it was made with, if any, and `made_until` when that one ends.
    """

    id: str
    kind: CredentialKind
    scope: frozenset[str] | None
    expires_at: int | None
    began_at: int | None = None
    last_used_at: int | None = None
    made_with: str | None = None
    made_until: int | None = None

    @property
    def is_session(self) -> bool:
        return self.kind == "session"

    @property
    def as_maker(self) -> str | None:
        """The API token that what is made with it is recorded under, and revoked with.

        None for somebody who signed in: their tokens and keys stand on their own.
        """
        return self.id if self.kind == "api" else self.made_with

    def bound_end(self, wanted: int | None, *, asked: bool) -> int | None:
        """When something that is made with this credential ends: never later than the credential.

        `asked` says that the caller named `wanted` (None is never): then a later end is refused with
        `Forbidden` `permission_denied`, else it is cut.
        """
        own = self.made_until if self.is_session else self.expires_at
        if own is None or (wanted is not None and wanted <= own):
            return wanted
        if asked:
            raise Forbidden(
                "What is made with a credential that expires cannot outlive it; ask for less, or sign in.",
                code=PermissionDenied.code,
            )
        return own


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

    def check_unchanged(self, now: "Principal | None") -> None:
        """Of a request that takes its time: `now` is its caller once more, None where the credential ended.

        Raises `Unauthenticated`, and `PermissionDenied` for whoever lost a right or has another role since.
        """
        if now is None:
            raise Unauthenticated("This credential ended while the request was under way; sign in again.")
        lost = min(self.permissions - now.permissions, default=None)
        if lost is None and (self.role, self.org_role) == (now.role, now.org_role):
            return
        raise PermissionDenied(
            lost or "members:manage", "Your role changed while this was under way; nothing was done."
        )


@dataclass(frozen=True, slots=True)
class Actor:
    """Who a write is recorded for in the audit trail."""

    name: str
    user_id: str | None = None
    org_id: str | None = None
    team_id: str | None = None
    request_id: str | None = None
