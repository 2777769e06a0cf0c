"""Ways to sign in that plugins bring, and the kinds of credentials that they keep."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Protocol

from guildhall_sdk.hooks import declares


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialKind:
    """A kind of credential that a plugin keeps or accepts, as `GET /api/whoami` names it."""

    name: str
    description: str


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


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
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


class SignInHooks(Protocol):
    """The hook of the plugin `identity`."""

    @declares(CredentialKind, label="kind of credential", name=attrgetter("name"))
    def declare_credential_kinds(self) -> Sequence[CredentialKind]:
        """Declares kinds of credentials that this plugin keeps or accepts, beside the kernel's tokens."""
