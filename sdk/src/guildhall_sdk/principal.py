"""The caller, as the authentication gate hands it to everything behind it; permissions and roles."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, get_args

from guildhall_sdk.errors import Forbidden, PermissionDenied

#: What the kernel keeps itself; other kinds are declared by `declare_credential_kinds`.
TokenKind = Literal["session", "api", "worker"]
#: How long after signing in, or proving oneself once more, dangerous acts ask for nothing.
FRESH_MS = 15 * 60 * 1000


@dataclass(frozen=True, slots=True)
class Credential:
    """The credential of the caller; `scope` narrows what its owner may do, None means no narrowing.

    `began_at` is when the person signed in; a session that another session made has the beginning of that.
    `last_used_at` is when a use of it was last noted, or when it was made. `made_with` is the API token that
    it was made with, if any, and `made_until` when that one ends.
    """

    id: str
    kind: str
    scope: frozenset[str] | None
    expires_at: int | None
    began_at: int | None = None
    last_used_at: int | None = None
    made_with: str | None = None
    made_until: int | None = None

    @property
    def is_session(self) -> bool:
        """Whether the caller signed in, rather than showed a token or a key."""
        return self.kind == "session"

    @property
    def is_token(self) -> bool:
        """Whether the kernel issued the credential and keeps it, so that `Credentials.alive` knows of it."""
        return self.kind in get_args(TokenKind)

    @property
    def as_maker(self) -> str | None:
        """The id of the API token that things made with this credential are recorded under, and revoked with.

        It is None for somebody who signed in: their tokens and keys stand on their own.
        """
        return self.id if self.kind == "api" else self.made_with

    def check_fresh(self, now_ms: int) -> None:
        """Raises `Forbidden` `reauthentication_required` unless the person proved who they are a while ago.

        For what whoever found a session must not do with it. `POST /api/session/confirm` makes it fresh.
        """
        if self.began_at is None or not self.is_session or not 0 <= now_ms - self.began_at < FRESH_MS:
            raise Forbidden(
                "You signed in more than 15 minutes ago; send your password, or sign in again.",
                code="reauthentication_required",
            )

    def bound_end(self, wanted: int | None, *, asked: bool) -> int | None:
        """Returns when something that is made with this credential ends: never later than the credential.

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
    """A person acting in one team of one company, with the permissions they hold right now.

    `switches` is what the team turned on and off, as it is stored: `Features.of` reads it.
    """

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
    switches: str | None = None

    def may(self, permission: str) -> bool:
        """Tells whether the caller holds the permission."""
        return permission in self.permissions

    def scope_allows(self, permission: str) -> bool:
        """Tells whether the credential's scope leaves room for a right that ownership or a grant gives."""
        return self.credential.scope is None or permission in self.credential.scope


@dataclass(frozen=True, slots=True)
class Actor:
    """The person whom a write is recorded for in the audit trail."""

    name: str
    user_id: str | None = None
    org_id: str | None = None
    team_id: str | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialKind:
    """A kind of credential that a plugin keeps or accepts, as `GET /api/whoami` names it.

    One that `POST /api/tokens` gives out with this as its `kind` has `issue`, `async (call) -> Reply`, and
    `revoke`, `async (call, writer, id) -> bool`, which tells whether there was one; both check who asks.
    `listed`, `async (call, reader, items, before, limit) -> items`, returns the items of `GET /api/tokens`
    with what this kind says of them, and with its own older than the id `before`, `limit` at most.
    `end_all`, `async (host, writer, user_id)`, ends those of a person whose password is another now.
    """

    name: str
    description: str
    issue: "Callable[[Any], Awaitable[Any]] | None" = None
    revoke: "Callable[[Any, Any, str], Awaitable[bool]] | None" = None
    listed: "Callable[..., Awaitable[Sequence[dict[str, Any]]]] | None" = None
    end_all: "Callable[[Any, Any, str], Awaitable[None]] | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInRequest:
    """A request without a credential that the server knows, for `decide_principal`.

    `address` is the caller's, behind the proxies that `SERVICE_TRUSTED_PROXIES` names; `peer` is who holds
    the connection. Names of headers are in small letters; one that was sent twice has both values, with a
    comma between them.
    """

    method: str
    path: str
    address: str
    peer: str
    headers: Mapping[str, str] = field(repr=False)


class SignIn(NamedTuple):
    """The person that `decide_principal` found, by one of `user_id` and `username`.

    `team` is the id or slug of the team to act in, else the person's oldest. `scope` narrows what they may
    do. `kind` is one that the plugin declares, its first unless named. `expires_at`, in milliseconds, is when
    the credential behind it ends: nothing that is made with it outlives that.
    """

    user_id: str | None = None
    username: str | None = None
    team: str | None = None
    scope: Sequence[str] | None = None
    kind: str | None = None
    expires_at: int | None = None


#: In a team, as `POST /api/members` takes them.
TEAM_ROLES = ("viewer", "member", "admin", "owner", "translator", "reviewer", "localizer", "worker")
#: In a company, beside the role in a team.
ORG_ROLES = ("org_reader", "org_admin", "org_owner")

# On each ladder a role holds everything that those before it hold.
_LADDERS = (
    ("viewer", "member", "admin", "owner"),
    ("viewer", "translator", "reviewer", "localizer"),
    ORG_ROLES,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """A right that rows, tools and services ask for.

    `roles` are the lowest that hold it by default; each role that includes one of them holds it too, so
    that nobody lacks what somebody below them has. Operators hold every permission.
    """

    name: str
    description: str
    roles: Sequence[str] = ()


def role_includes(role: str, lower: str) -> bool:
    """Tells whether a role holds everything that another holds: `admin` includes `viewer`, and itself."""
    above = (ladder for ladder in _LADDERS if role in ladder)
    return role == lower or any(lower in ladder[: ladder.index(role)] for ladder in above)


OWNER = "owner"


class Roles(Protocol):
    """The permissions that plugins declare, and which of them each role holds."""

    #: Every permission by name, in the order of admission.
    permissions: Mapping[str, Permission]

    def held_by(self, role: str) -> frozenset[str]:
        """Returns the permissions of a role in a team or a company; none for an unknown role."""

    def check_names(self, names: Sequence[str], pointer: str) -> None:
        """Raises `InvalidRequest` at the first name below `pointer` that is no permission here."""

    def check_grantable(self, by: Principal, role: str) -> None:
        """Raises `PermissionDenied` unless the caller may grant the team role.

        A role may be granted by who holds all its permissions; `worker` by an operator alone. `owner` comes
        from an owner, an operator or who manages the company: an admin holds as much, and is less. The error
        names the first permission that is missing.
        """


def is_demotion(before: str, after: str) -> bool:
    """Tells whether one role holds less than another; an owner stands above those who hold as much."""
    if before == OWNER or after == OWNER:
        return before != after and before == OWNER
    return not role_includes(after, before)
