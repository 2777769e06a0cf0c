"""Credentials, passwords and secrets."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, Protocol, TypedDict, Unpack

from guildhall_sdk.context import Call
from guildhall_sdk.data import Reader, Row, Statement, Writer
from guildhall_sdk.errors import CodedError, Problem
from guildhall_sdk.principal import Credential, Principal, TokenKind
from guildhall_sdk.replies import Reply

#: Uses up an answer that was verified, and tells whether it holds.
UseAnswer = Callable[[Writer], Awaitable[bool]]


class IssuedToken(NamedTuple):
    """A new credential; `token` is shown once and stored nowhere."""

    id: str
    token: str
    expires_at: int | None


@dataclass(frozen=True, slots=True)
class ApiToken:
    """An API token as its team's list shows it: everything but the token."""

    id: str
    user_id: str
    username: str
    name: str | None
    scope: Sequence[str] | None
    created_at: int
    expires_at: int | None


class SignInOrigin(NamedTuple):
    """The address and the program that somebody signed in from."""

    address: str
    agent: str | None = None

    @classmethod
    def of(cls, address: str, agent: str) -> "SignInOrigin":
        """Returns an origin by what a request says; a program's name is cut, and printable."""
        printable = "".join(sign for sign in agent[:200] if sign.isprintable())
        return cls(address, printable or None)


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """A session as the list of its own person shows it."""

    id: str
    team_id: str
    created_at: int
    last_used_at: int | None
    expires_at: int | None
    address: str | None
    agent: str | None


class AuthorityEnded(CodedError):
    """Raised where whoever asked for something that still goes on would not be let in any more.

    `code`, for the job that ends by it, is `credential_revoked`, `credential_expired`, `person_removed`,
    `person_suspended`, `org_suspended` or `permission_denied`; `problem` is what a request would get now.
    """

    def __init__(self, code: str, message: str, problem: Problem) -> None:
        super().__init__(code, message)
        self.problem = problem


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A session or an API token to issue.

    What is `made_with` an API token is revoked with it. `began_at` is of the session that made another.
    """

    kind: TokenKind
    user_id: str
    team_id: str
    expires_at: int | None
    scope: Sequence[str] | None = None
    name: str | None = None
    made_with: Credential | None = None
    began_at: int | None = None
    origin: SignInOrigin | None = None


class AskedBy(TypedDict):
    """The keyword arguments that say who asked for something earlier, and with which credential."""

    user_id: str
    team_id: str
    #: The scope of the credential, None for one without.
    scope: frozenset[str] | None
    #: Its id: what is made on its behalf ends with it.
    asked_with: NotRequired[str | None]


class Credentials(Protocol):
    """Sessions and API tokens. Only a SHA-256 of each is stored; each ends with its membership."""

    async def issue(self, writer: Writer, new: NewToken) -> IssuedToken:
        """Issues a session or an API token; raises `NotFound` for a person who is no member of the team."""

    async def principal_of(
        self, reader: Reader, credential: Credential, *, user_id: str, team_id: str
    ) -> Principal | None:
        """Returns whom a plugin's credential stands for, with their present rights; None out of the team.

        Its kind is one that a plugin declares by `declare_credential_kinds`; else `ValueError`.
        """

    async def principal_by(
        self, reader: Reader, found_by: Statement, credential_of: Callable[[Row], Credential], **binds: Any
    ) -> tuple[Principal, Row] | None:
        """Finds a plugin's credential and whom it stands for in one statement; None out of the team.

        `found_by` has the columns `user_id` and `team_id`; `credential_of` makes the credential of its row.
        """

    async def acting(self, reader: Reader, **asked: Unpack[AskedBy]) -> Principal | None:
        """Returns whom something acts as that was asked for earlier, with their present rights.

        Returns None for a person who is not in the team any more.
        """

    async def reauthorize(self, reader: Reader, **asked: Unpack[AskedBy]) -> Principal:
        """Returns whom something acts as, like `acting`, as long as the credential that asked still holds.

        A session that expired or was signed out of ends nothing. Raises `AuthorityEnded` for what was
        revoked, an expired API token, a narrowed scope, and a person or company that is gone or suspended.
        """

    async def alive(self, reader: Reader, credential_id: str) -> bool:
        """Tells whether a token still holds, inside a write that must not outlive the caller's session."""

    async def hold_maker(self, writer: Writer, credential: Credential) -> str | None:
        """Returns the maker to record for something that is kept elsewhere: see `Credential.as_maker`.

        Raises `Unauthenticated` when it was revoked meanwhile; until the write ends it cannot be.
        """

    async def api_tokens(
        self, reader: Reader, team_id: str, before: str | None, limit: int
    ) -> Sequence[ApiToken]:
        """Returns the team's unexpired API tokens, newest first, those older than `before`."""

    async def api_token(self, reader: Reader, team_id: str, token_id: str) -> ApiToken | None:
        """Returns one API token of the team, expired or not; None once it was revoked."""

    async def count_api_tokens(self, reader: Reader) -> int:
        """Counts the API tokens of the whole instance that have not expired."""

    async def revoke_api_token(self, writer: Writer, team_id: str, token_id: str) -> bool:
        """Revokes a token and everything made with it; returns whether the team had such a token."""

    async def end_session(self, writer: Writer, credential_id: str) -> None:
        """Signs out of a session by the id of its credential: what it asked for goes on."""

    async def sessions_of(
        self, reader: Reader, user_id: str, before: str | None, limit: int
    ) -> Sequence[SessionRecord]:
        """Returns the person's live sessions, newest first, those older than `before`."""

    async def confirm_session(self, writer: Writer, credential_id: str) -> None:
        """Notes that the person of a session has just proved once more who they are."""

    async def end_own_session(self, writer: Writer, user_id: str, session_id: str) -> bool:
        """Revokes a live session of the person; returns whether they had such a session."""

    async def end_sessions_of(self, writer: Writer, user_id: str, *, keep: str | None = None) -> None:
        """Revokes all live sessions of the person but the one in `keep`."""

    async def sweep_expired(self, writer: Writer, most: int = 100_000) -> None:
        """Deletes credentials that expired 30 days ago or earlier, `most` of them at most."""


class SignIns(Protocol):
    """The beginning of sessions of people who came by another way than a password; the end of all."""

    async def end_with_password(self, writer: Writer, user_id: str, *, keep: str | None = None) -> None:
        """Ends what a person's former password stood behind: sessions but that in `keep`, links and apps."""

    async def begin(
        self, call: Call, writer: Writer, user_id: str, *, team: str | None = None, way: str
    ) -> Reply:
        """Begins a session, and returns the answer of `POST /api/login`; `way` is for the audit trail.

        Raises `Forbidden` `person_suspended` and `no_team`, and `NotFound` for a foreign team.
        """


class Passkeys(Protocol):
    """The passkeys of people, where a password alone is not enough."""

    async def challenge(self, reader: Reader, user_id: str) -> Mapping[str, Any] | None:
        """Returns WebAuthn's options for one of the person's passkeys, or None where they have none."""

    async def verify(self, call: Call, user_id: str, answer: Mapping[str, Any]) -> UseAnswer:
        """Verifies an answer to `challenge`."""


class Passwords(Protocol):
    """Hashes of passwords by Argon2id, computed off the event loop."""

    @property
    def kdf(self) -> str:
        """The function that hashes passwords, and its cost."""

    async def hash(self, password: str) -> str:
        """Returns the hash of a password, for storing."""

    async def verify(self, password: str, stored: str | None) -> bool:
        """Tells whether a password matches; without a hash it says False, and takes as long."""

    async def check_policy(self, username: str, password: str, *, pointer: str = "/password") -> None:
        """Raises `InvalidRequest` at the pointer, with the first reason a `decide_password` hook gives."""


class VaultState(NamedTuple):
    """The cipher and key of the vault, and how many secrets an older key still seals."""

    cipher: str
    key_id: str
    awaiting_reseal: int


class Vault(Protocol):
    """Secrets at rest, sealed to their kind, company and id."""

    async def put(self, writer: Writer, kind: str, org_id: str, ref: str, secret: bytes) -> None:
        """Stores a secret, in place of the one that was there."""

    async def get(self, reader: Reader, kind: str, org_id: str, ref: str) -> bytes | None:
        """Returns a secret, or None where there is none."""

    async def delete(self, writer: Writer, kind: str, org_id: str, ref: str) -> None:
        """Deletes a secret, if it is there."""

    async def state(self, reader: Reader) -> VaultState:
        """Counts the secrets that an older key still seals."""

    def derive(self, purpose: str) -> bytes:
        """Derives a 32-byte key for one purpose, the same on every process of this instance."""

    def seal(self, purpose: str, text: str) -> str:
        """Seals a text that is stored nowhere, as one word that can stand in an address."""

    def unseal(self, purpose: str, sealed: str) -> str | None:
        """Returns what this instance sealed for the purpose, or None for anything else."""


class Rotation(NamedTuple):
    """The outcome of a rotation. What does not open is left as it was, with its key, and named here."""

    key_id: str
    resealed: int
    unreadable: tuple[str, ...]
    dropped_keys: int


class SecretKeys(Protocol):
    """The keys that secrets at rest are sealed with, for commands; a server may run meanwhile.

    What cannot be used as a key is refused with an `OperatorError`.
    """

    #: The file that holds the secret key, unless a setting does.
    file: Path

    def is_set_up(self) -> bool:
        """Tells whether there is a secret key here, by a setting or in its file."""

    def key(self) -> bytes:
        """Returns the secret key that is set up here."""

    def read(self, file: Path) -> bytes:
        """Reads a secret key from a file that nobody but its owner can reach."""

    def store(self, key: bytes) -> None:
        """Makes the file of the secret key, unless there is one."""

    async def vault(self, reader: Reader, key: bytes) -> Vault | None:
        """Returns the vault of the tables that the reader sees; None for an instance that never began."""

    async def rotate(self) -> Rotation:
        """Makes a new data key, and seals every secret anew under it; the secret key stays."""

    async def rewrap(self, new_key_file: Path) -> tuple[int, int]:
        """Puts the data keys under the secret key in a file, which servers need from then on.

        Returns how many it put there, and how many were there already.
        """


class Ticket(NamedTuple):
    """One word of an address, and when it ends; whoever reads it learns nothing from it."""

    text: str
    expires_at: int


class Tickets(Protocol):
    """Tickets for what sends no bearer, such as a frame: good for ten minutes at most."""

    def issue(self, call: Call, purpose: str, subject: str = "") -> Ticket:
        """Returns a ticket of the caller for one purpose and subject, in the team they act in."""

    async def holder(self, call: Call, purpose: str, text: str, subject: str = "") -> Principal | None:
        """Returns who asked for the ticket, with their present rights.

        It is None for a ticket of something else, one that ended, and a holder who left or signed out.
        """


class ProvisionGuesses(Protocol):
    """The count of wrong provisioning tokens from each address, in all server processes together."""

    async def check(self, call: Call) -> None:
        """Raises `TooManyRequests` for an address that sent too many."""

    async def record(self, call: Call) -> None:
        """Counts a wrong token; raises `TooManyRequests` where there are too many by now."""

    async def clear(self, call: Call) -> None:
        """Forgets the wrong tokens of an address after the right one."""
