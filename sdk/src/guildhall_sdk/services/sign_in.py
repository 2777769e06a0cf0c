"""Ways to sign in: the kinds that plugins bring, and the session of who proved themself by one."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from guildhall_sdk.context import Call, Host
from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.errors import Problem
from guildhall_sdk.replies import Reply
from guildhall_sdk.schema import Schema
from guildhall_sdk.services.identity import Passkeys
from guildhall_sdk.services.tenancy import User


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInWay:
    """A way as a company set it up, or an operator for everybody: then `org_id` is None.

    `settings` are those of its kind, secrets included: never log them, or answer with them.
    """

    id: str
    kind: str
    org_id: str | None
    settings: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInProof:
    """What a way proved of somebody.

    `subject` is theirs there and nobody else's, ever. Of `claims` these are understood, and rules read any:
    `preferred_username`, `name`, `email`, `email_verified` (true, false or absent) and `locale`. `session` is
    the id of their session there, and `hint` what its end takes.
    """

    subject: str
    claims: Mapping[str, Any] = field(repr=False)
    session: str | None = None
    hint: str | None = field(default=None, repr=False)


class SignInStep(NamedTuple):
    """A step of a test of a way: its name, whether it went well, and what came back, in plain words."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInKind:
    """A kind of way to sign in, for `declare_sign_in_kinds`.

    `fields` are the schemas of what is set up for one, of which `required` must be there, and `secrets` are
    texts that are sealed and never shown again; without `fields` nothing is set up, and the kind is offered
    to everybody. `anchors` are the fields that say who vouches for a subject: with another value there, a
    subject is somebody else. `addresses` are paths with `{id}` in them that browsers or the other side need,
    by what they are for; browsers begin at `start`.

    `check` returns the settings as they are to be stored, and raises `InvalidRequest`. `test` tries a way
    without a person. `authenticate` returns the proof for a name and a password, or None where one is wrong.
    `end` returns the address at which a browser ends the session there that a hint belongs to, or None.
    """

    name: str
    fields: Mapping[str, Schema] | None = None
    required: Sequence[str] = ()
    secrets: Sequence[str] = ()
    anchors: Sequence[str] = ()
    addresses: Mapping[str, str] = field(default_factory=dict)
    check: Callable[[Host, Mapping[str, Any]], Awaitable[Mapping[str, Any]]] | None = None
    test: Callable[[Host, SignInWay], Awaitable[Sequence[SignInStep]]] | None = None
    authenticate: Callable[[Host, SignInWay, str, str], Awaitable[SignInProof | None]] | None = None
    end: Callable[[Host, SignInWay, str], Awaitable[str | None]] | None = None


class SignInWays(Protocol):
    """Signs people in by what ways prove of them."""

    async def way(self, reader: Reader, kind: str, way_id: str) -> SignInWay:
        """Returns a way with its secrets; raises `NotFound`."""

    async def begin(
        self, call: Call, way: SignInWay, kept: Mapping[str, str], *, by_form: bool = False
    ) -> tuple[str, str]:
        """Keeps what a sign-in needs when its browser comes back, within ten minutes.

        Returns the `state` to send along, and the `Set-Cookie` that binds it to the browser. `by_form` says
        that it comes back by a form that another site has it send.
        """

    async def resume(self, call: Call, way: SignInWay, state: str) -> Mapping[str, str]:
        """Returns what was kept, once, to the browser that began; else raises `Forbidden` `state_invalid`."""

    async def use_once(self, writer: Writer, way: SignInWay, handle: str, until: int) -> bool:
        """Tells whether this is the first use of something that may be used once; it is kept until then."""

    async def finish(self, call: Call, way: SignInWay, proof: SignInProof) -> Reply:
        """Signs in by a proof; returns the reply that sends the browser to the console, as `refuse` does."""

    def refuse(self, call: Call, problem: Problem) -> Reply:
        """Returns the reply that sends the browser to the console, which says why nobody was signed in."""

    async def with_password(
        self, call: Call, way_id: str, username: str, password: str
    ) -> "SignInProof | None":
        """Asks a way whether a password is right; raises `NotFound` where it takes none."""

    async def admit(self, call: Call, writer: Writer, way_id: str, proof: SignInProof) -> Reply | Problem:
        """Begins the session of a proof, as `SignIns.begin`; raises the `Problem` that says why not.

        One that is returned is to be raised after the write: it took away what the proof gives no more.
        """

    async def check_local(self, call: Call, writer: Writer, user: User) -> None:
        """Raises `Forbidden` `sso_required` where this person must sign in by a way of their company.

        Call it when they have proved who they are here, before a session begins. Where the request says
        `link`, what this browser proved elsewhere just before becomes theirs, and they may come in.
        """

    async def end_sessions(
        self, writer: Writer, way: SignInWay, *, subject: str | None, session: str | None
    ) -> None:
        """Ends the sessions here that began by this session there, or else all of who has this subject."""

    async def carry(self, writer: Writer, session_id: str, new_id: str) -> None:
        """Has a session that another made end where that one ends, here and there."""


async def check_step_up(call: Call, reader: Reader) -> None:
    """Raises `reauthentication_required` for a caller with passkeys who has not proved who they are lately.

    For dangerous acts. Somebody without passkeys has nothing to prove themselves by but what signed them in.
    """
    passkeys = call.host.find_service(Passkeys)
    if passkeys is not None and await passkeys.challenge(reader, call.principal.user_id) is not None:
        call.principal.credential.check_fresh(call.now_ms)
