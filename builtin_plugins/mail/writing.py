"""What a letter looks like: in the reader's language and the colours of their company, as text and HTML."""

import json
from collections.abc import Mapping
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, parseaddr
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from builtin_plugins.mail.mailbox import NoticesLetter, sql
from builtin_plugins.mail.settings import MAIL_FROM, sender_of
from guildhall_sdk import Host
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.localization import Localization
from guildhall_sdk.services.notifications import Letter
from guildhall_sdk.services.pages import Brandings
from libs.icu_messages import format_message
from libs.mustache import Template, compile_template, escape_html

_TEMPLATES = Path(__file__).with_name("templates")
UNSUBSCRIBE = "mail.unsubscribe"
_SUBJECT_MAX = 200
_RIGHT_TO_LEFT = ("ar", "fa", "he", "ur")
_PLAIN = {
    "bg": "#f6f7f6",
    "text": "#1c211f",
    "surface": "#ffffff",
    "accent": "#1f6a4e",
    "on-accent": "#ffffff",
}


class _Look(NamedTuple):
    title: str
    palette: Mapping[str, Any]


class Sent(NamedTuple):
    """The letter's id, which its Message-ID has, and when it was written down."""

    id: str
    created_at: int


async def write(host: Host, sent: Sent, letter: NoticesLetter) -> EmailMessage:
    """Returns the message, made of texts, branding and template. Not inside a scope."""
    messages = await host.service(Localization).messages(letter.locale)

    def say(key: str) -> str:
        return format_message(messages.get(key, key), letter.params, letter.locale)

    look = await _look(host, letter.org_id)
    base_url = host.settings.base_url
    stop = unsubscribe_url(host, letter)
    subject = _on_one_line(say(f"{letter.words}_subject"))
    data = {
        "language": letter.locale,
        "direction": "rtl" if letter.locale.partition("-")[0] in _RIGHT_TO_LEFT else "ltr",
        "subject": subject,
        "title": look.title,
        "paragraphs": [line for line in say(f"{letter.words}_text").splitlines() if line.strip()],
        "lines": [
            {
                "text": _on_one_line(
                    format_message(messages.get(line.text, line.text), line.params, letter.locale)
                ),
                "href": f"{base_url}{line.link}",
            }
            for line in letter.lines
        ],
        "action": None
        if letter.link is None
        else {"text": say(f"{letter.words}_action"), "href": f"{base_url}{letter.link}"},
        "footer": None if stop is None else {"text": say("mail.unsubscribe"), "href": stop},
        "background": look.palette["bg"],
        "colour": look.palette["text"],
        "surface": look.palette["surface"],
        "accent": look.palette["accent"],
        "on_accent": look.palette["on-accent"],
    }
    message = _headed(host, sent, letter, subject, stop)
    message.set_content(_template("letter.txt").render(data))
    message.add_alternative(_template("letter.html").render(data), subtype="html")
    return message


def _headed(host: Host, sent: Sent, letter: Letter, subject: str, stop: str | None) -> EmailMessage:
    message = EmailMessage(policy=SMTP)
    name, address = parseaddr(sender_of(host.setting(MAIL_FROM), host.settings.base_url))
    message["From"] = Address(display_name=name, addr_spec=address)
    message["To"] = letter.to
    message["Subject"] = subject
    message["Date"] = formatdate(sent.created_at / 1000)
    # The same where it is sent once more after a crash: who has it already shows one.
    message["Message-ID"] = f"<{sent.id}@{urlsplit(host.settings.base_url).hostname or 'localhost'}>"
    message["Auto-Submitted"] = "auto-generated"
    if stop is not None:
        message["List-Unsubscribe"] = f"<{stop}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return message


def unsubscribe_url(host: Host, letter: Letter) -> str | None:
    """Returns where one click ends letters of this kind; nobody can make one for somebody else."""
    if letter.stops is None or letter.user_id is None:
        return None
    bound = json.dumps([letter.org_id, letter.user_id, letter.stops, letter.locale])
    return (
        f"{host.settings.base_url}/api/mail/unsubscribe?token={host.service(Vault).seal(UNSUBSCRIBE, bound)}"
    )


async def _look(host: Host, org_id: str) -> _Look:
    brandings = host.find_service(Brandings)
    if brandings is None:
        return _Look("Guildhall", _PLAIN)
    async with host.data.read() as reader:
        domain = await reader.value(sql.domain_of, org_id=org_id)
        found = await brandings.at(reader, domain or urlsplit(host.settings.base_url).hostname or "")
    return _Look(found.title, {**_PLAIN, **found.palette})


def _on_one_line(text: str) -> str:
    """A line break would begin another header."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())[:_SUBJECT_MAX]


@lru_cache(maxsize=2)
def _template(name: str) -> Template:
    is_html = name.endswith(".html")
    return compile_template((_TEMPLATES / name).read_text("utf-8"), escape=escape_html if is_html else str)
