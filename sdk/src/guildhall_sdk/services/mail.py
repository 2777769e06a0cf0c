"""Mail: letters to people, their addresses, and the links by which they let themselves in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.principal import Principal
from guildhall_sdk.services.tenancy import User


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A mail, as it is written down; its words are chosen when it is sent, in the language `locale`.

    `name` is shown to operators: `<plugin id>.<word>`. `words` begins the keys of the catalog that it is made
    of: `<words>_subject`, `<words>_text`, and `<words>_action` for what `link` is called; each an ICU message
    over `params`. A `link` is a path of the console; it may hold a secret and is kept sealed until it is
    sent. After `expires_at` it is not sent any more. `stops` is the kind of notification that one click ends,
    `*` all. An `urgent` one goes first, and also to an address that refused others.
    """

    name: str
    words: str
    to: str
    locale: str
    org_id: str
    user_id: str | None = None
    params: Mapping[str, str | int] = field(default_factory=dict)
    link: str | None = None
    expires_at: int | None = None
    stops: str | None = None
    urgent: bool = False


class Mailer(Protocol):
    """Sends mail where the operator has set it up."""

    #: Whether there is a server to send by; without one nothing is written down.
    is_set_up: bool

    async def send(self, writer: Writer, letter: Letter) -> bool:
        """Writes a letter down in the caller's transaction, to be sent soon; False where mail is off."""


class Email(NamedTuple):
    """A person's address; a proven one was confirmed by them, or given by who manages them."""

    address: str
    is_proven: bool


class Emails(Protocol):
    """The addresses of people."""

    async def of(self, reader: Reader, user_id: str) -> Email | None:
        """Returns a person's address, or None."""

    async def give(self, writer: Writer, org_id: str, user_id: str, address: str) -> None:
        """Sets a person's address for who manages them. The caller has checked that it is one."""

    async def people_at(self, reader: Reader, address: str, *, org_id: str | None = None) -> Sequence[str]:
        """Returns the ids of those who have proven this address, of one company or all; a few at most."""


class AccountLinks(Protocol):
    """Mails links by which people set a password, to an address of theirs."""

    async def mail_invitation(self, writer: Writer, user: User, address: str, by: Principal) -> bool:
        """Mails an invitation, in place of the one before; returns whether mail is set up."""

    async def mail_reset(self, writer: Writer, user: User, address: str) -> bool:
        """Mails a link to set a password anew, good for 30 minutes; returns whether mail is set up."""

    async def end_all(self, writer: Writer, user_id: str) -> None:
        """Ends all links of a person."""
