"""Sessions, API tokens and those of workers. Only a SHA-256 of each is stored."""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from guildhall_sdk import (
    Clock,
    Credential,
    Forbidden,
    NotFound,
    PermissionDenied,
    Principal,
    Problem,
    Reader,
    Row,
    Statement,
    Writer,
    load_queries,
    new_id,
)
from guildhall_sdk.errors import PaymentRequired, Unauthenticated
from guildhall_sdk.services.identity import ApiToken, AuthorityEnded, IssuedToken, NewToken, SessionRecord
from kernel.identity.authenticate import hash_of, new_token, parse_scope, principal_of_row, principal_with
from kernel.rbac import DeclaredRoles
from libs.records import record_of

_sql = load_queries(Path(__file__).with_name("queries.sql"))
_AFTER_EVERY_ID = "~"
ID_PREFIX = "tok"
_SWEPT_PER_ISSUE = 100
# As long as jobs: what is not there any more was revoked, and what expired merely has expired.
_KEPT_EXPIRED_MS = 30 * 24 * 3600 * 1000
_ENDED = "This token is unknown, expired or revoked; sign in again."
_NO_ROLES = DeclaredRoles()


class StoredCredentials:
    """Implements the SDK's `Credentials`; `kinds` are those that plugins keep.

    Who only issues and ends tokens needs neither roles nor kinds.
    """

    def __init__(self, clock: Clock, roles: DeclaredRoles = _NO_ROLES, kinds: Collection[str] = ()) -> None:
        self._clock = clock
        self._roles = roles
        self._kinds = frozenset(kinds)

    async def issue(self, writer: Writer, new: NewToken) -> IssuedToken:
        now = self._clock.now_ms()
        await self.sweep_expired(writer, _SWEPT_PER_ISSUE)
        made_by = None if new.made_with is None else await self.hold_maker(writer, new.made_with)
        token = new_token(new.kind)
        row = await writer.one(
            _sql.insert_credential,
            id=new_id(ID_PREFIX, now),
            kind=new.kind,
            secret_hash=hash_of(token),
            user_id=new.user_id,
            team_id=new.team_id,
            name=new.name,
            scope=None if new.scope is None else json.dumps(sorted(set(new.scope))),
            made_with=made_by,
            began_at=new.began_at or now,
            address=None if new.origin is None else new.origin.address,
            agent=None if new.origin is None else new.origin.agent,
            now=now,
            expires_at=new.expires_at,
        )
        if row is None:
            raise NotFound
        if new.origin is not None:
            await writer.run(_sql.note_person, id=new.user_id, now=now)
        return IssuedToken(row["id"], token, new.expires_at)

    async def principal_of(
        self, reader: Reader, credential: Credential, *, user_id: str, team_id: str
    ) -> Principal | None:
        self._check_kind(credential)
        return await principal_with(reader, credential, user_id, team_id, self._roles)

    async def principal_by(
        self,
        reader: Reader,
        found_by: Statement,
        credential_of: Callable[[Row], Credential],
        **binds: Any,
    ) -> tuple[Principal, Row] | None:
        row = await reader.one(_with_member(found_by), **binds)
        if row is None:
            return None
        credential = credential_of(row)
        self._check_kind(credential)
        return principal_of_row(row, credential, self._roles), row

    def _check_kind(self, credential: Credential) -> None:
        if credential.kind not in self._kinds:
            raise ValueError(f"no plugin declares the kind of credential {credential.kind!r}")

    async def acting(
        self,
        reader: Reader,
        *,
        user_id: str,
        team_id: str,
        scope: frozenset[str] | None,
        asked_with: str | None = None,
    ) -> Principal | None:
        row = await reader.one(_sql.acting, user_id=user_id, team_id=team_id, asked_with=asked_with)
        return None if row is None else self._acting(row, scope, asked_with)

    def _acting(self, row: Row, scope: frozenset[str] | None, asked_with: str | None) -> Principal:
        credential = Credential(asked_with or "", "job", scope, None)
        if asked_with is not None:
            # What it makes goes with the token that it was asked for with; when that is gone, it makes none.
            holds = row["asking_kind"] is not None and not self._is_over(row["asking_end"])
            maker, end = (row["maker"], row["made_until"]) if holds else (asked_with, None)
            credential = replace(credential, made_with=maker, expires_at=end)
        return principal_of_row(row, credential, self._roles)

    async def reauthorize(
        self,
        reader: Reader,
        *,
        user_id: str,
        team_id: str,
        scope: frozenset[str] | None,
        asked_with: str | None = None,
    ) -> Principal:
        row = await reader.one(_sql.acting, user_id=user_id, team_id=team_id, asked_with=asked_with)
        if row is None:
            message = "Whoever asked for this is not in the team any more."
            raise AuthorityEnded("person_removed", message, Unauthenticated(_ENDED))
        try:
            who = self._acting(row, scope, asked_with)
        except Forbidden as refusal:
            raise AuthorityEnded(refusal.code, refusal.detail, refusal) from None
        if who.org_suspended or row["tenant_suspended_at"] is not None:
            message = "The company that asked for this is suspended."
            raise AuthorityEnded("org_suspended", message, PaymentRequired(message))
        if asked_with is not None and asked_with.startswith(f"{ID_PREFIX}_"):
            self._check_held(row, scope)
        return who

    def _is_over(self, end: int | None) -> bool:
        return end is not None and end <= self._clock.now_ms()

    def _check_held(self, row: Row, scope: frozenset[str] | None) -> None:
        """Raises `AuthorityEnded` for a credential of the kernel's own that does not hold any more."""
        if row["asking_kind"] is None:
            raise _ended("revoked", "The session or token that asked for this was revoked.")
        if row["asking_kind"] != "session" and self._is_over(row["asking_end"]):
            raise _ended("expired", "The token that asked for this has expired.")
        held = parse_scope(row["asking_scope"])
        if held is not None and (scope is None or not scope <= held):
            message = "The scope of the token that asked for this was narrowed."
            raise _ended("revoked", message, Forbidden(message, code=PermissionDenied.code))

    async def alive(self, reader: Reader, credential_id: str) -> bool:
        return await reader.one(_sql.alive, id=credential_id, now=self._clock.now_ms()) is not None

    async def hold_maker(self, writer: Writer, credential: Credential) -> str | None:
        maker = credential.as_maker
        if maker is not None and await writer.one(_sql.hold, id=maker, now=self._clock.now_ms()) is None:
            raise Unauthenticated("This token has ended; sign in again.")
        return maker

    async def api_tokens(
        self, reader: Reader, team_id: str, before: str | None, limit: int
    ) -> Sequence[ApiToken]:
        rows = await self._page(reader, _sql.api_tokens, before, limit, team_id=team_id)
        return [_api_token(row) for row in rows]

    async def api_token(self, reader: Reader, team_id: str, token_id: str) -> ApiToken | None:
        row = await reader.one(_sql.api_token, id=token_id, team_id=team_id)
        return None if row is None else _api_token(row)

    async def count_api_tokens(self, reader: Reader) -> int:
        return int(await reader.value(_sql.count_api_tokens, now=self._clock.now_ms()))

    async def revoke_api_token(self, writer: Writer, team_id: str, token_id: str) -> bool:
        return await writer.one(_sql.delete_api_token, id=token_id, team_id=team_id) is not None

    async def end_session(self, writer: Writer, credential_id: str) -> None:
        await writer.run(_sql.sign_out, id=credential_id, now=self._clock.now_ms())

    async def confirm_session(self, writer: Writer, credential_id: str) -> None:
        await writer.run(_sql.confirm_session, id=credential_id, now=self._clock.now_ms())

    async def sessions_of(
        self, reader: Reader, user_id: str, before: str | None, limit: int
    ) -> Sequence[SessionRecord]:
        rows = await self._page(reader, _sql.sessions_of_user, before, limit, user_id=user_id)
        return [record_of(SessionRecord, row) for row in rows]

    async def _page(
        self, reader: Reader, statement: Statement, before: str | None, limit: int, **whose: str
    ) -> Sequence[Row]:
        now = self._clock.now_ms()
        return await reader.all(statement, before=before or _AFTER_EVERY_ID, now=now, limit=limit, **whose)

    async def end_own_session(self, writer: Writer, user_id: str, session_id: str) -> bool:
        binds = {"id": session_id, "user_id": user_id, "now": self._clock.now_ms()}
        return await writer.one(_sql.delete_session_of_user, **binds) is not None

    async def end_sessions_of(self, writer: Writer, user_id: str, *, keep: str | None = None) -> None:
        now = self._clock.now_ms()
        await writer.run(_sql.delete_sessions_of_user, user_id=user_id, keep=keep or "", now=now)

    async def sweep_expired(self, writer: Writer, most: int = 100_000) -> None:
        before = self._clock.now_ms() - _KEPT_EXPIRED_MS
        await writer.run(_sql.sweep_expired, before=before, max_rows=most)


@cache
def _with_member(found_by: Statement) -> Statement:
    """Returns a plugin's statement with the columns of the member beside its own."""
    return found_by.respelled(lambda text: str(_sql.principal_kept.plain).replace("KEPT", text))


def _ended(how: str, message: str, problem: Problem | None = None) -> AuthorityEnded:
    return AuthorityEnded(f"credential_{how}", message, problem or Unauthenticated(_ENDED))


def _api_token(row: Row) -> ApiToken:
    scope = None if row["scope"] is None else json.loads(row["scope"])
    return record_of(ApiToken, row, scope=scope)
