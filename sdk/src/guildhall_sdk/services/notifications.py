"""What people are told, by every plugin: in their inbox, on their device and by mail; their addresses."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from guildhall_sdk.context import Host, ServiceHost
from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.principal import Principal
from guildhall_sdk.services.tenancy import User

MailChoice = Literal["at_once", "daily", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationKind:
    """Something that people are told of, for `declare_notification_kinds`.

    `name` is `<plugin id>.<word>`, as in `notes.shared`. `title`, what it is called in the settings, and
    `text`, what is said, are keys of the plugin's own catalog; the text is an ICU message over the params of
    a notice. `mail` and `push` hold until a person chooses otherwise.
    """

    name: str
    title: str
    text: str
    mail: MailChoice = "daily"
    push: bool = False


#: Somebody was added to a team; declared by `identity`, for whoever adds people.
JOINED = NotificationKind(
    name="identity.joined", title="identity.notice_joined", text="identity.notice_joined_text"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something that happened, and who is told: `people` by id, and members of `team_id` with these `roles`.

    Only people of the company `org_id` are told, and never the one who did it, `by`. `link` is a path of the
    console, opened in `team_id` by who is a member there. While a person still has a notification of the same
    kind with the same `key`, read or not, they are told no second time. Texts in `params` are cut at 200
    characters: say names in them, nothing secret.
    """

    kind: NotificationKind
    org_id: str
    link: str
    people: Sequence[str] = ()
    roles: Sequence[str] = ()
    team_id: str | None = None
    by: str | None = None
    params: Mapping[str, str | int] = field(default_factory=dict)
    key: str | None = None


class Notifications(Protocol):
    """Tells people what happened."""

    async def notify(self, writer: Writer, notice: Notice) -> None:
        """Tells them in the caller's transaction: they are told when it commits, and else never."""

    async def stop_mail(self, writer: Writer, org_id: str, user_id: str, kind: str) -> None:
        """Chooses for a person that they hear of a kind by no mail any more; `*` is every kind."""


async def notify(host: ServiceHost, writer: Writer, notice: Notice) -> None:
    """Tells people what happened, in the caller's transaction; nobody without a plugin for it."""
    service = host.find_service(Notifications)
    if service is not None:
        await service.notify(writer, notice)


class Notified(NamedTuple):
    """One person who was told, with what they chose for this kind."""

    id: str
    org_id: str
    user_id: str
    notice: Notice
    at: int
    mail: MailChoice
    push: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationChannel:
    """Another way to people than the inbox, for `declare_notification_channels`.

    `deliver` runs in the transaction of the notice, with all who are told. It writes down what is to be sent
    and sends nothing itself. One that fails is undone alone and logged.
    """

    name: str
    deliver: Callable[[Host, Writer, Sequence[Notified]], Awaitable[None]]


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
