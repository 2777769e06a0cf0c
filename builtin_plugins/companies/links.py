"""Links by which people let themselves in, and the one tenant of a hosted instance, let in by one."""

import hashlib
import secrets
from pathlib import Path
from typing import Literal, NamedTuple

from guildhall_sdk import Credential, Host, Principal, Reader, Row, Writer, load_queries
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.services.notifications import Letter, Mailer
from guildhall_sdk.services.tenancy import User

LinkKind = Literal["invitation", "reset"]

#: A link that came by mail to whoever asked for it.
MAILED_RESET_MS = 30 * 60 * 1000
LASTS_MS: dict[LinkKind, int] = {"invitation": 7 * 24 * 3600 * 1000, "reset": 24 * 3600 * 1000}

_sql = load_queries(Path(__file__).with_name("queries.sql"))


class AccountLink(NamedTuple):
    """A new link; `token` is shown once and stored nowhere."""

    token: str
    expires_at: int

    def url(self, base_url: str) -> str:
        """Returns the link; its token is behind a `#`, which no browser sends: it is in no log or Referer."""
        return f"{base_url}{self.path}"

    @property
    def path(self) -> str:
        """The link without its server."""
        return f"/activate#token={self.token}"


class LinkHolder(NamedTuple):
    """Whom a link lets in."""

    user_id: str
    kind: LinkKind


async def make(
    writer: Writer,
    host: Host,
    user: User,
    kind: LinkKind,
    *,
    lasts_ms: int | None = None,
    made_with: Credential | None = None,
) -> AccountLink:
    """Makes a link in place of the one before; it outlives no API token that it was made with."""
    now = host.clock.now_ms()
    ends: int | None = now + (lasts_ms or LASTS_MS[kind])
    maker = None
    if made_with is not None:
        maker = await host.service(Credentials).hold_maker(writer, made_with)
        ends = made_with.bound_end(ends, asked=False)
    assert ends is not None
    link = AccountLink(secrets.token_urlsafe(32), ends)
    await writer.run(
        _sql.put_link,
        user_id=user.id,
        kind=kind,
        org_id=user.org_id,
        token_hash=_hash_of(link.token),
        made_with=maker,
        now=now,
        expires_at=ends,
    )
    return link


class MailedLinks:
    """Implements the SDK's `AccountLinks`."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def mail_invitation(self, writer: Writer, user: User, address: str, by: Principal) -> bool:
        if not self._mailer.is_set_up:
            return False
        link = await make(writer, self._host, user, "invitation", made_with=by.credential)
        return await self.mail(writer, user, address, "invitation", link, by)

    async def mail_reset(self, writer: Writer, user: User, address: str) -> bool:
        if not self._mailer.is_set_up:
            return False
        link = await make(writer, self._host, user, "reset", lasts_ms=MAILED_RESET_MS)
        return await self.mail(writer, user, address, "reset", link)

    async def end_all(self, writer: Writer, user_id: str) -> None:
        await delete_all(writer, user_id)

    async def mail(
        self,
        writer: Writer,
        user: User,
        address: str,
        kind: LinkKind,
        link: AccountLink,
        by: Principal | None = None,
    ) -> bool:
        """Mails a link that was made; one that somebody made for another says who."""
        name = f"companies.{kind}"
        letter = Letter(
            name=name,
            words=f"companies.mail_{kind}",
            to=address,
            locale=user.locale,
            org_id=user.org_id,
            user_id=user.id,
            params={
                "name": user.display_name,
                "username": user.username,
                "by": "" if by is None else by.display_name,
                "org": "" if by is None else by.org_name,
                "asked": "self" if by is None else "other",
            },
            link=link.path,
            expires_at=link.expires_at,
            urgent=True,
        )
        return await self._mailer.send(writer, letter)

    @property
    def _mailer(self) -> Mailer:
        return self._host.find_service(Mailer) or NO_MAIL


class _NoMail:
    """Stands where no plugin sends mail."""

    is_set_up = False

    async def send(self, writer: Writer, letter: Letter) -> bool:
        return False


NO_MAIL = _NoMail()


async def find(reader: Reader, host: Host, token: str) -> LinkHolder | None:
    """Returns whom the token would let in, or None."""
    row = await reader.one(_sql.link, token_hash=_hash_of(token), now=host.clock.now_ms())
    return await _holder(reader, host, row)


async def spend(writer: Writer, host: Host, token: str) -> LinkHolder | None:
    """Returns whom the token lets in, for exactly one caller; every link of theirs ends."""
    row = await writer.one(_sql.spend_link, token_hash=_hash_of(token), now=host.clock.now_ms())
    holder = await _holder(writer, host, row)
    if holder is not None:
        await delete_all(writer, holder.user_id)
    return holder


async def delete_all(writer: Writer, user_id: str) -> None:
    await writer.run(_sql.delete_links, user_id=user_id)


async def _holder(reader: Reader, host: Host, row: Row | None) -> LinkHolder | None:
    if row is None:
        return None
    maker = row["made_with"]
    if maker is not None and not await host.service(Credentials).alive(reader, maker):
        return None
    return LinkHolder(row["user_id"], row["kind"])


def _hash_of(token: str) -> str:
    """Hashes a token by plain SHA-256, which is enough with 256 bits of chance behind it."""
    return hashlib.sha256(token.encode()).hexdigest()


class Tenant(NamedTuple):
    org_id: str
    team_id: str
    user_id: str


async def settle_in(writer: Writer, tenant: Tenant, now_ms: int) -> None:
    """Records the tenant."""
    await writer.run(
        _sql.insert_tenant,
        org_id=tenant.org_id,
        team_id=tenant.team_id,
        user_id=tenant.user_id,
        now=now_ms,
    )


async def tenant_of_instance(reader: Reader) -> Tenant | None:
    row = await reader.one(_sql.tenant)
    return None if row is None else Tenant(row["org_id"], row["team_id"], row["user_id"])


async def note_activation(writer: Writer, user_id: str, now_ms: int) -> bool:
    """Notes that the tenant's owner let themself in; returns False for others, and for a second time."""
    return await writer.one(_sql.note_activation, user_id=user_id, now=now_ms) is not None
