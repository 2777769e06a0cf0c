"""Notifications: what people are told in their inbox, by mail or on their device, by every plugin."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from guildhall_sdk.context import Host, ServiceHost
from guildhall_sdk.data import Writer

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
