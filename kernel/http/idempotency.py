"""`Idempotency-Key`: the same POST sent again gets the first answer and does nothing twice.

The change and the mark that it was made commit together. Should the server die between that
commit and keeping the answer, a repeat is told so instead of making the change again.
"""

import asyncio
import hmac
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from guildhall_sdk import Conflict, Data, InvalidRequest, Reply, Row, Writer, load_queries
from guildhall_sdk.services import Vault
from kernel.http.context import Context

sql = load_queries(Path(__file__).with_name("idempotency.sql"))

KEPT_MS = 24 * 3600 * 1000
LEASE_MS = 5 * 60 * 1000
WAIT_SECONDS = 30.0
_POLL_SECONDS = 0.05
_KEPT_HEADERS = ("Location",)
# Refusals of the moment: suspended, too many. A repeat after they are over gets its own answer.
_PASSING = (402, 429)


@dataclass(frozen=True, slots=True)
class _Claim:
    caller: str
    key: str
    owner: str

    def binds(self) -> dict[str, str]:
        return {"caller": self.caller, "key": self.key, "owner": self.owner}


async def settle_leftovers(data: Data) -> None:
    """At the boot of the one process that owns the database: whoever was at it is gone."""
    async with data.write() as writer:
        await writer.run(sql.release_running)
        await writer.run(sql.settle_applied)


async def answer_once(ctx: Context, raw_body: bytes, answer: Callable[[], Awaitable[Reply]]) -> Reply:
    """Runs `answer` unless this caller already sent this request under this key."""
    claim = _Claim(_caller(ctx), _key(ctx), secrets.token_hex(16))
    fingerprint = _fingerprint(ctx, raw_body)
    while not await _take(ctx, claim, fingerprint):
        kept = await _first_answer(ctx, claim, fingerprint)
        if kept is not None:
            return kept
    ctx.on_write(lambda scope: _marking(scope, claim))
    try:
        reply = await answer()
    except BaseException:
        await _release(ctx, claim)
        raise
    passing = reply.status >= 500 or reply.status in _PASSING
    if passing or reply.stream is not None or reply.content is not None:
        await _release(ctx, claim)
    else:
        await _keep(ctx, claim, reply)
    return reply


def _key(ctx: Context) -> str:
    key = ctx.headers["idempotency-key"]
    if not (1 <= len(key) <= 255 and key.isascii() and key.isprintable()):
        raise InvalidRequest("Idempotency-Key takes 1 to 255 printable ASCII characters.")
    return key


def _caller(ctx: Context) -> str:
    if not ctx.signed_in:
        return f"@{ctx.address}"
    return f"{ctx.principal.user_id}/{ctx.principal.team_id}"


def _fingerprint(ctx: Context, raw_body: bytes) -> str:
    """Keyed: a body may hold a password, and a plain hash of it could be guessed at."""
    text = b"\x00".join([ctx.method.encode(), ctx.path.encode(), ctx.raw_query, raw_body])
    return hmac.digest(ctx.service(Vault).derive("idempotency"), text, "sha256").hex()


async def _take(ctx: Context, claim: _Claim, fingerprint: str) -> bool:
    now = ctx.now_ms
    async with ctx.host.data.write() as writer:
        await writer.run(sql.sweep, now=now)
        taken = await writer.one(
            sql.claim,
            **claim.binds(),
            fingerprint=fingerprint,
            lease_until=now + LEASE_MS,
            expires_at=now + KEPT_MS,
            now=now,
        )
    return taken is not None


async def _first_answer(ctx: Context, claim: _Claim, fingerprint: str) -> Reply | None:
    """The kept answer; a twin that is still at it is waited for; None when it failed and left nothing."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + WAIT_SECONDS
    while True:
        async with ctx.read() as reader:
            row = await reader.one(sql.look, caller=claim.caller, key=claim.key)
        if row is None:
            return None
        if row["fingerprint"] != fingerprint:
            raise Conflict(
                "This Idempotency-Key was used for another request; use a new one.",
                code="idempotency_conflict",
            )
        if row["state"] == "done":
            return _replay(row)
        if loop.time() >= deadline:
            raise Conflict("The first call is still running; try again later.", code="idempotency_conflict")
        await asyncio.sleep(_POLL_SECONDS)


def _replay(row: Row) -> Reply:
    if row["answer"] is None:
        raise Conflict(
            "The first call made its change, and its answer is not kept; look the result up.",
            code="already_issued",
            id=row["resource_id"],
        )
    kept = json.loads(row["answer"])
    headers = {**kept["headers"], "Idempotency-Replayed": "true"}
    return Reply(kept["body"], row["status"], headers, kept["etag"], content_type=kept["content_type"])


@asynccontextmanager
async def _marking(scope: AbstractAsyncContextManager[Writer], claim: _Claim) -> AsyncIterator[Writer]:
    """A write scope that marks the claim as applied in its own transaction."""
    async with scope as writer:
        yield writer
        await writer.run(sql.mark_applied, **claim.binds())


async def _keep(ctx: Context, claim: _Claim, reply: Reply) -> None:
    secret = reply.secret_id is not None
    answer = {
        "headers": {name: reply.headers[name] for name in _KEPT_HEADERS if name in reply.headers},
        "etag": reply.etag,
        "body": reply.body,
        "content_type": reply.content_type,
    }
    async with ctx.host.data.write() as writer:
        await writer.run(
            sql.keep,
            **claim.binds(),
            status=reply.status,
            answer=None if secret else json.dumps(answer),
            resource_id=reply.secret_id,
        )


async def _release(ctx: Context, claim: _Claim) -> None:
    async with ctx.host.data.write() as writer:
        await writer.run(sql.release, **claim.binds())
