"""`Idempotency-Key`: the same POST sent again gets the first answer and does nothing twice.

The answer is kept in the transaction of its effect (see `HeldWrites`): whenever a server dies,
either nothing happened and the repeat does it, or the repeat gets the answer. A call that is under way
holds its key by a short lease and renews it; one that lost its lease can commit nothing any more.
"""

import asyncio
import hmac
import json
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from guildhall_sdk import Conflict, InvalidRequest, Problem, Reply, Row, Unavailable, Writer, load_queries
from guildhall_sdk.data import Data
from guildhall_sdk.services.identity import Vault
from kernel.db.held_writes import HeldWrites, run_held
from kernel.http.context import Context

sql = load_queries(Path(__file__).with_name("idempotency.sql"))

KEPT_MS = 24 * 3600 * 1000
LEASE_SECONDS = 6.0
WAIT_SECONDS = 30.0
_FIRST_LOOK_SECONDS, _LAST_LOOK_SECONDS = 0.05, 1.0
_SWEPT_AT_ONCE = 100
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
    """Settles unfinished calls at the boot of the one process that owns the database: their callers left."""
    async with data.write() as writer:
        await writer.run(sql.release_running)
        await writer.run(sql.settle_applied)


class IdempotentCalls:
    """The calls with a key that this process is at."""

    def __init__(self) -> None:
        self._ended: dict[tuple[str, str], asyncio.Event] = {}

    async def answer_once(
        self, ctx: Context, raw_body: bytes, answer: Callable[[], Coroutine[Any, Any, Reply]]
    ) -> Reply:
        """Runs `answer` unless this caller already sent this request under this key."""
        claim = _Claim(_caller(ctx), _key(ctx), secrets.token_hex(16))
        fingerprint = _fingerprint(ctx, raw_body)
        while not await _take(ctx, claim, fingerprint):
            stored = await self._first_answer(ctx, claim, fingerprint)
            if stored is not None:
                return stored
        ended = self._ended[claim.caller, claim.key] = asyncio.Event()
        renewing = asyncio.create_task(_renew(ctx, claim), name="idempotency lease")
        try:
            return await _answer_and_keep(ctx, claim, answer)
        finally:
            renewing.cancel()
            if self._ended.get((claim.caller, claim.key)) is ended:
                del self._ended[claim.caller, claim.key]
            ended.set()

    async def _first_answer(self, ctx: Context, claim: _Claim, fingerprint: str) -> Reply | None:
        """Returns the stored answer, waiting for a twin under way; None when the key is free again."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + WAIT_SECONDS
        pause = _FIRST_LOOK_SECONDS
        while True:
            async with ctx.read() as reader:
                now = ctx.host.clock.now_ms()
                row = await reader.one(sql.look, caller=claim.caller, key=claim.key, now=now)
            if row is None or (row["state"] == "running" and row["lapsed"]):
                return None
            if row["fingerprint"] != fingerprint:
                raise _conflict("This Idempotency-Key was used for another request; use a new one.")
            if row["state"] == "done" or row["lapsed"]:
                return _replay(row)
            if loop.time() >= deadline:
                raise _conflict("The first call is still running; try again later.")
            await self._pause(claim, pause)
            pause = min(2 * pause, _LAST_LOOK_SECONDS)

    async def _pause(self, claim: _Claim, seconds: float) -> None:
        """Waits until the twin ends, if it is in this process; else for so long."""
        twin = self._ended.get((claim.caller, claim.key))
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await (twin or asyncio.Event()).wait()


async def _answer_and_keep(
    ctx: Context, claim: _Claim, answer: Callable[[], Coroutine[Any, Any, Reply]]
) -> Reply:
    async def mark(writer: Writer) -> None:
        _still_ours(await writer.one(sql.mark_applied, **claim.binds()))

    writes = HeldWrites(mark)
    ctx.wrap_write = writes.hold
    try:
        reply = await run_held(answer(), writes)
        if reply.status >= 500:
            await writes.roll_back()
        if _is_storable(ctx, reply):
            await _keep(ctx, claim, reply, writes)
        else:
            await writes.commit()
            await _release(ctx, claim)
    except BaseException:
        await writes.roll_back()
        await _release(ctx, claim)
        raise
    finally:
        ctx.wrap_write = None
    return reply


def _is_storable(ctx: Context, reply: Reply) -> bool:
    """Tells whether a repeat gets this reply: not a 5xx, a refusal of the moment, or what is no JSON."""
    signed_out = reply.status == 401 and ctx.signed_in
    passing = reply.status >= 500 or reply.status in _PASSING or signed_out
    return not passing and reply.stream is None and reply.content is None


def _conflict(detail: str) -> Conflict:
    return Conflict(detail, code="idempotency_conflict")


def _still_ours(row: Row | None) -> None:
    """Raises, and so rolls the effect back, where the lease lapsed and a repeat has taken the key over."""
    if row is None:
        raise Unavailable(
            "This call took so long that a repeat of it has taken over; send it again for the answer.",
            headers={"Retry-After": "1"},
        )


def _key(ctx: Context) -> str:
    key = ctx.headers["idempotency-key"]
    if not (1 <= len(key) <= 255 and key.isascii() and key.isprintable()):
        raise InvalidRequest("Idempotency-Key takes 1 to 255 printable ASCII characters.")
    return key


def _caller(ctx: Context) -> str:
    if not ctx.signed_in:
        return f"@{ctx.address}"
    caller, scope = f"{ctx.principal.user_id}/{ctx.principal.team_id}", ctx.principal.credential.scope
    # An answer may show what a narrower credential of the same person is not shown.
    return caller if scope is None else f"{caller}/{sha256(','.join(sorted(scope)).encode()).hexdigest()}"


def _fingerprint(ctx: Context, raw_body: bytes) -> str:
    """Returns a keyed hash: a body may hold a password, and a plain hash of it could be guessed at."""
    text = b"\x00".join([ctx.method.encode(), ctx.path.encode(), ctx.raw_query, raw_body])
    return hmac.digest(ctx.service(Vault).derive("idempotency"), text, "sha256").hex()


async def _take(ctx: Context, claim: _Claim, fingerprint: str) -> bool:
    now = ctx.host.clock.now_ms()
    async with ctx.host.data.write() as writer:
        await writer.run(sql.sweep, now=now, limit=_SWEPT_AT_ONCE)
        taken = await writer.one(
            sql.claim,
            **claim.binds(),
            fingerprint=fingerprint,
            lease_ms=int(LEASE_SECONDS * 1000),
            expires_at=now + KEPT_MS,
            now=now,
        )
    return taken is not None


async def _renew(ctx: Context, claim: _Claim) -> None:
    """Keeps the lease while the call runs."""
    while True:
        await asyncio.sleep(LEASE_SECONDS / 3)
        # A database that is busy now is asked again; what lapsed meanwhile is refused at the commit.
        with suppress(Problem):
            async with ctx.host.data.write() as writer:
                now = ctx.host.clock.now_ms()
                await writer.run(sql.renew, **claim.binds(), lease_ms=int(LEASE_SECONDS * 1000), now=now)


def _replay(row: Row) -> Reply:
    if row["answer"] is None:
        raise Conflict(
            "The first call made its change, and its answer is not kept; look the result up.",
            code="already_issued",
            id=row["resource_id"],
        )
    answer = json.loads(row["answer"])
    answer["headers"]["Idempotency-Replayed"] = "true"
    return Reply(status=row["status"], **answer)


async def _keep(ctx: Context, claim: _Claim, reply: Reply, writes: HeldWrites) -> None:
    """Stores the reply in the transaction of the effect, or in one of its own where there is none."""
    secret = reply.secret_id is not None
    answer = {
        "headers": {name: reply.headers[name] for name in _KEPT_HEADERS if name in reply.headers},
        "etag": reply.etag,
        "body": reply.body,
        "content_type": reply.content_type,
    }

    async def write(writer: Writer) -> None:
        row = await writer.one(
            sql.keep,
            **claim.binds(),
            status=reply.status,
            answer=None if secret else json.dumps(answer),
            resource_id=reply.secret_id,
        )
        _still_ours(row)

    if not await writes.commit(write):
        async with ctx.host.data.write() as writer:
            await write(writer)


async def _release(ctx: Context, claim: _Claim) -> None:
    async with ctx.host.data.write() as writer:
        await writer.run(sql.release, **claim.binds())
