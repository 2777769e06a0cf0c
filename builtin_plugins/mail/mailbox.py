"""Letters as they are written down: who may get how many, and what a letter says, sealed until it is sent."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from builtin_plugins.mail.settings import KEEP_DAYS, MAIL_URL
from guildhall_sdk import Host, Reader, Writer, load_queries, new_id
from guildhall_sdk.ids import first_id
from guildhall_sdk.retention import Retained
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.notifications import Letter
from libs.names.emails import email_fault, email_key

sql = load_queries(Path(__file__).with_name("queries.sql"))

PREFIX, SECRET = "mail", "mail"
_HOUR_MS = 3600 * 1000
#: What one address gets in an hour of letters about an account, and of others.
MAX_URGENT_TO_ADDRESS, MAX_TO_ADDRESS = 10, 20
#: What one person causes in an hour of letters about an account of one name.
MAX_URGENT_OF_NAME = 5
#: What an address that is no person's here gets of one name in an hour.
MAX_TO_STRANGER = 1
#: So long an address that refused a letter gets none but those about an account.
REFUSED_MS = 7 * 24 * _HOUR_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterLine:
    """A line of a letter that leads somewhere: a key of a catalog, its params, and a path of the console."""

    text: str
    params: Mapping[str, str | int]
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticesLetter(Letter):
    """A letter with a line for each notification that it tells of."""

    lines: Sequence[LetterLine] = ()


class StoredMailer:
    """Implements the SDK's `Mailer`."""

    def __init__(self, host: Host) -> None:
        self._host = host

    @property
    def is_set_up(self) -> bool:
        return self._host.setting(MAIL_URL) is not None

    async def send(self, writer: Writer, letter: Letter) -> bool:
        if not self.is_set_up:
            return False
        if (fault := email_fault(letter.to)) is not None:
            raise ValueError(f"the address of a letter {fault}")
        now, key = self._host.clock.now_ms(), email_key(letter.to)
        # Two letters to one address count one another.
        await writer.serialize(f"mail-to:{key}")
        why = await self._held_back(writer, letter, key, now)
        mail_id = new_id(PREFIX, now)
        await writer.run(
            sql.insert_mail,
            id=mail_id,
            org_id=letter.org_id,
            user_id=letter.user_id,
            name=letter.name,
            address=letter.to,
            key=key,
            urgent=int(letter.urgent),
            state="waiting" if why is None else "held_back",
            due_at=now if why is None else None,
            expires_at=letter.expires_at,
            error=why,
            now=now,
            ended_at=None if why is None else now,
        )
        if why is None:
            await self._host.service(Vault).put(writer, SECRET, letter.org_id, mail_id, _encoded(letter))
            writer.after_commit(self.wake)
        return True

    def wake(self) -> None:
        """Has what waits looked at in every process."""
        self._host.news("mails").announce({})

    async def _held_back(self, writer: Writer, letter: Letter, key: str, now: int) -> str | None:
        """Returns why a letter is not sent, or None."""
        recent = await writer.one(
            sql.recent,
            key=key,
            since=now - _HOUR_MS,
            refused_since=now - REFUSED_MS,
            urgent=int(letter.urgent),
            user_id=letter.user_id,
            name=letter.name,
        )
        assert recent is not None
        if recent["refused"] and not letter.urgent:
            return "the address refused a mail in the last seven days"
        if recent["to_address"] >= (MAX_URGENT_TO_ADDRESS if letter.urgent else MAX_TO_ADDRESS):
            return "the address got as many in the last hour as it may"
        if letter.urgent and recent["to_person"] >= MAX_URGENT_OF_NAME:
            return "the person was sent as many of these in the last hour as they may"
        if letter.user_id is None and recent["of_name"] >= MAX_TO_STRANGER:
            return "the address got this in the last hour"
        return None


def _encoded(letter: Letter) -> bytes:
    # A server of the version before, beside this one, reads the lines of every letter.
    return json.dumps({"lines": [], **asdict(letter)}, ensure_ascii=False).encode()


def decoded(text: bytes) -> NoticesLetter:
    """Returns the letter that was sealed."""
    fields: dict[str, Any] = json.loads(text)
    lines = [LetterLine(**line) for line in fields.pop("lines")]
    return NoticesLetter(**fields, lines=lines)


async def _count_old(reader: Reader, before: int) -> int:
    return int(await reader.value(sql.count_old, before=first_id(PREFIX, before)))


async def _delete_old(writer: Writer, before: int, limit: int) -> int:
    return len(await writer.all(sql.delete_old, before=first_id(PREFIX, before), limit=limit))


OLD_MAILS = Retained(
    name="mails",
    title="lines about mails that were sent or not",
    keep_days=KEEP_DAYS,
    count=_count_old,
    delete_expired=_delete_old,
)
