"""The settings of mail: by which server, and as whom."""

import ssl
from collections.abc import Sequence
from email.utils import parseaddr
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from guildhall_sdk import Setting
from guildhall_sdk.retention import days_setting
from libs.names.emails import email_fault

_PORTS = {"smtp": 25, "smtps": 465, "smtp+starttls": 587}
_FORM = (
    "takes smtp://, smtps:// or smtp+starttls://, such as smtp+starttls://user:password@mail.example.com:587"
)


class MailServer(NamedTuple):
    """A server that takes mail, and how it is spoken to."""

    host: str
    port: int
    scheme: str
    username: str | None
    password: str | None

    def tls(self) -> "ssl.SSLContext | None":
        """Returns what its certificate is checked by, where it has one."""
        return None if self.scheme == "smtp" else ssl.create_default_context()


def mail_url(given: str) -> MailServer:
    """Parses the address of a mail server."""
    try:
        parts = urlsplit(given.strip())
        port = parts.port
    except ValueError:
        raise ValueError(_FORM) from None
    if parts.scheme not in _PORTS or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValueError(_FORM)
    if (parts.username is None) != (parts.password is None):
        raise ValueError("takes a user and a password, or neither")
    username = None if parts.username is None else unquote(parts.username)
    password = None if parts.password is None else unquote(parts.password)
    return MailServer(parts.hostname, port or _PORTS[parts.scheme], parts.scheme, username, password)


def sender(given: str) -> str:
    """Parses whom mail is from: an address, or a name with one in angle brackets."""
    _, address = parseaddr(given)
    if not given.isprintable() or email_fault(address) is not None:
        raise ValueError("takes an address such as hall@example.com, or Guildhall <hall@example.com>")
    return given.strip()


MAIL_URL: Setting[MailServer | None] = Setting(
    name="url",
    variable="SERVICE_MAIL_URL",
    help="the server that sends mail, such as smtp+starttls://user:password@host:587; without it none is",
    default=None,
    parse=mail_url,
    secret=True,
)
MAIL_FROM: Setting[str | None] = Setting(
    name="from",
    variable="SERVICE_MAIL_FROM",
    help="whom mail is from, such as Guildhall <hall@example.com>; else no-reply at the server's own name",
    default=None,
    parse=sender,
)
KEEP_DAYS = days_setting(
    "keep_days",
    what="lines about mails that were sent or not",
    default=30,
    variable="SERVICE_KEEP_MAILS_DAYS",
)
SETTINGS: Sequence[Setting[Any]] = (MAIL_URL, MAIL_FROM, KEEP_DAYS)


def sender_of(given: str | None, base_url: str) -> str:
    """Returns whom mail is from."""
    return given or f"Guildhall <no-reply@{urlsplit(base_url).hostname or 'localhost'}>"
