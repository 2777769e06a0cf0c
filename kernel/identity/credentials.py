"""Sessions, API tokens and those of workers. Only a SHA-256 of each is stored."""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from guildhall_sdk import (
    Clock,
    Credential,
    NotFound,
    Principal,
    Reader,
    Row,
    Unauthenticated,
    Writer,
    load_queries,
    new_id,
)
from guildhall_sdk.principal import TokenKind
from guildhall_sdk.services.identity import ApiToken, IssuedToken, SessionRecord, SignInOrigin
from kernel.db.accounts import AT_THE_GATES, current_account, request_of
from kernel.identity.acting import acting_credential, credential_of_job
from kernel.identity.authenticate import hash_of, new_token, principal_with
from kernel.rbac import DeclaredRoles

_sql = load_queries(Path(__file__).with_name("queries.sql"))
_AFTER_EVERY_ID = "~"
_SWEPT_PER_ISSUE = 100
_NO_ROLES = DeclaredRoles()


class StoredCredentials:
    """Implements the SDK's `Credentials`; `kinds` are those that plugins keep.

    Who only issues and ends tokens needs neither roles nor kinds.
    """

    def __init__(self, clock: Clock, roles: DeclaredRoles = _NO_ROLES, kinds: Collection[str] = ()) -> None:
        self._clock = clock
        self._roles = roles
        self._kinds = frozenset(kinds)

    async def issue(
        self,
        writer: Writer,
        kind: TokenKind,
        *,
        user_id: str,
        team_id: str,
        expires_at: int | None,
        scope: Sequence[str] | None = None,
        name: str | None = None,
        made_with: Credential | None = None,
        began_at: int | None = None,
        origin: SignInOrigin | None = None,
    ) -> IssuedToken:
        now = self._clock.now_ms()
        await self.sweep_expired(writer, _SWEPT_PER_ISSUE)
        made_by = None if made_with is None else await self.hold_maker(writer, made_with)
        token = new_token(kind)
        row = await writer.one(
            _sql.insert_credential,
            id=new_id("tok", now),
            kind=kind,
            secret_hash=hash_of(token),
            user_id=user_id,
            team_id=team_id,
            name=name,
            scope=None if scope is None else json.dumps(sorted(set(scope))),
            made_with=made_by,
            began_at=began_at or now,
            address=None if origin is None else origin.address,
            agent=None if origin is None else origin.agent,
            now=now,
            expires_at=expires_at,
        )
        if row is None:
            raise NotFound
        if origin is not None:
            await writer.run(_sql.note_person, id=user_id, now=now)
        return IssuedToken(row["id"], token, expires_at)

    async def issue_to_worker(
        self, writer: Writer, name: str, made_with: Credential | None = None
    ) -> IssuedToken:
        """Issues a worker's token, which ends when it is revoked, or with the token that made it."""
        now = self._clock.now_ms()
        token, credential_id = new_token("worker"), new_id("tok", now)
        expires_at = None if made_with is None else made_with.bound_end(None, asked=False)
        await writer.run(
            _sql.insert_worker_credential,
            id=credential_id,
            secret_hash=hash_of(token),
            name=name,
            made_with=None if made_with is None else await self.hold_maker(writer, made_with),
            now=now,
            expires_at=expires_at,
        )
        return IssuedToken(credential_id, token, expires_at)

    async def revoke_of_worker(self, writer: Writer, credential_id: str) -> None:
        await writer.run(_sql.delete_worker_credential, id=credential_id)

    async def principal_of(
        self, reader: Reader, credential: Credential, *, user_id: str, team_id: str
    ) -> Principal | None:
        if credential.kind not in self._kinds:
            raise ValueError(f"no plugin declares the kind of credential {credential.kind!r}")
        principal = await principal_with(reader, credential, user_id, team_id, self._roles)
        if principal is not None and current_account.get() is AT_THE_GATES:
            # Another protocol's request has found out whose it is.
            current_account.set(request_of(principal.org_id))
            acting_credential.set(credential)
        return principal

    async def acting(
        self,
        reader: Reader,
        *,
        user_id: str,
        team_id: str,
        scope: frozenset[str] | None,
        asked_with: str | None = None,
    ) -> Principal | None:
        credential = credential_of_job(asked_with, scope) or Credential("", "job", scope, None)
        if asked_with is not None:
            found = await reader.one(_sql.asked_with, id=asked_with, now=self._clock.now_ms())
            # What it makes goes with the token that it was asked for with; when that is gone, it makes none.
            credential = replace(
                credential,
                made_with=asked_with if found is None else found["maker"],
                expires_at=None if found is None else found["made_until"],
            )
        return await principal_with(reader, credential, user_id, team_id, self._roles)

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
        rows = await reader.all(
            _sql.api_tokens,
            team_id=team_id,
            before=before or _AFTER_EVERY_ID,
            now=self._clock.now_ms(),
            limit=limit,
        )
        return [_api_token(row) for row in rows]

    async def api_token(self, reader: Reader, team_id: str, token_id: str) -> ApiToken | None:
        row = await reader.one(_sql.api_token, id=token_id, team_id=team_id)
        return None if row is None else _api_token(row)

    async def count_api_tokens(self, reader: Reader) -> int:
        return int(await reader.value(_sql.count_api_tokens, now=self._clock.now_ms()))

    async def revoke_api_token(self, writer: Writer, team_id: str, token_id: str) -> bool:
        return await writer.one(_sql.delete_api_token, id=token_id, team_id=team_id) is not None

    async def end_session(self, writer: Writer, credential_id: str) -> None:
        await writer.run(_sql.delete_session, id=credential_id)

    async def sessions_of(
        self, reader: Reader, user_id: str, before: str | None, limit: int
    ) -> Sequence[SessionRecord]:
        rows = await reader.all(
            _sql.sessions_of_user,
            user_id=user_id,
            before=before or _AFTER_EVERY_ID,
            now=self._clock.now_ms(),
            limit=limit,
        )
        return [_session(row) for row in rows]

    async def end_own_session(self, writer: Writer, user_id: str, session_id: str) -> bool:
        return await writer.one(_sql.delete_session_of_user, id=session_id, user_id=user_id) is not None

    async def end_sessions_of(self, writer: Writer, user_id: str, *, keep: str | None = None) -> None:
        await writer.run(_sql.delete_sessions_of_user, user_id=user_id, keep=keep or "")

    async def sweep_expired(self, writer: Writer, most: int = 100_000) -> None:
        await writer.run(_sql.sweep_expired, now=self._clock.now_ms(), max_rows=most)


def _session(row: Row) -> SessionRecord:
    return SessionRecord(
        id=row["id"],
        team_id=row["team_id"],
        created_at=row["created_at"],
        last_used_at=row["last_used_at"],
        expires_at=row["expires_at"],
        address=row["address"],
        agent=row["agent"],
    )


def _api_token(row: Row) -> ApiToken:
    return ApiToken(
        id=row["id"],
        user_id=row["user_id"],
        username=row["username"],
        name=row["name"],
        scope=None if row["scope"] is None else json.loads(row["scope"]),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
    )
