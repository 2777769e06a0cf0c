"""`Idempotency-Key`: the same POST sent again gets the first answer and does nothing twice.

The answer is kept in the transaction of its effect (see `HeldWrites`): whenever a server dies,
either nothing happened and the repeat does it, or the repeat gets the answer. A call that is under way
holds its key by a short lease and renews it; one that lost its lease can commit nothing any more.
"""

import hmac
import json
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from guildhall_sdk import Conflict, InvalidRequest, Problem, Reply, Row, Unavailable, Writer, load_queries
from guildhall_sdk.data import Data
from guildhall_sdk.services.identity import Vault
from kernel.db.held_writes import HeldWrites
from kernel.http.context import Context
from libs.coordination import OnceCalls, StillRunning, run_acting_before_waits

sql = load_queries(Path(__file__).with_name("idempotency.sql"))

KEPT_MS = 24 * 3600 * 1000
LEASE_SECONDS = 6.0
WAIT_SECONDS = 30.0
_SWEPT_AT_ONCE = 100
_KEPT_HEADERS = ("Location",)
# Refusals of the moment: suspended, too many. A repeat after they are over gets its own answer.
_PASSING = (402, 429)

Answer = Callable[[], Coroutine[Any, Any, Reply]]


async def release_abandoned_calls(data: Data) -> None:
    """Settles unfinished calls at the boot of the one process that owns the database: their callers left."""
    async with data.write() as writer:
        await writer.run(sql.release_running)
        await writer.run(sql.settle_applied)


class IdempotentCalls:
    """The calls with a key that this process is at."""

    def __init__(self) -> None:
        self._calls: OnceCalls[Reply] = OnceCalls()

    async def answer_once(self, ctx: Context, raw_body: bytes, answer: Answer) -> Reply:
        """Runs `answer` unless this caller already sent this request under this key."""
        caller, key = _caller(ctx), _key(ctx)
        call = _Call(ctx, caller, key, _fingerprint(ctx, raw_body), answer)
        try:
            return await self._calls.answer(
                (caller, key), call, wait_seconds=WAIT_SECONDS, renew_seconds=LEASE_SECONDS / 3
            )
        except StillRunning:
            raise _conflict("The first call is still running; try again later.") from None


class _Call:
    """A call that holds its key by a lease, in a row."""

    def __init__(self, ctx: Context, caller: str, key: str, fingerprint: str, answer: Answer) -> None:
        self._ctx = ctx
        self._data = ctx.host.data
        self._place = {"caller": caller, "key": key}
        self._claim = {**self._place, "owner": secrets.token_hex(16)}
        self._fingerprint = fingerprint
        self._answer = answer

    async def take(self) -> bool:
        now = self._ctx.host.clock.now_ms()
        async with self._data.write() as writer:
            await writer.run(sql.sweep, now=now, limit=_SWEPT_AT_ONCE)
            taken = await writer.one(
                sql.claim,
                **self._claim,
                fingerprint=self._fingerprint,
                lease_ms=int(LEASE_SECONDS * 1000),
                expires_at=now + KEPT_MS,
                now=now,
            )
        return taken is not None

    async def find_answer(self) -> Reply | None:
        async with self._ctx.read() as reader:
            row = await reader.one(sql.find_claim, **self._place, now=self._ctx.host.clock.now_ms())
        if row is None or (row["state"] == "running" and row["lapsed"]):
            return None
        if row["fingerprint"] != self._fingerprint:
            raise _conflict("This Idempotency-Key was used for another request; use a new one.")
        if row["state"] == "done" or row["lapsed"]:
            return _replay(row)
        raise StillRunning

    async def renew(self) -> None:
        # A database that is busy now is asked again; what lapsed meanwhile is refused at the commit.
        with suppress(Problem):
            async with self._data.write() as writer:
                now = self._ctx.host.clock.now_ms()
                await writer.run(sql.renew, **self._claim, lease_ms=int(LEASE_SECONDS * 1000), now=now)

    async def run(self) -> Reply:
        writes = HeldWrites(self._mark)
        self._ctx.wrap_write = writes.hold
        try:
            reply = await run_acting_before_waits(self._answer(), writes.commit)
            if reply.status >= 500:
                await writes.roll_back()
            if _is_storable(self._ctx, reply):
                await self._store(reply, writes)
            else:
                await writes.commit()
                await self._release()
        except BaseException:
            await writes.roll_back()
            await self._release()
            raise
        finally:
            self._ctx.wrap_write = None
        return reply

    async def _mark(self, writer: Writer) -> None:
        _still_ours(await writer.one(sql.mark_applied, **self._claim))

    async def _store(self, reply: Reply, writes: HeldWrites) -> None:
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
                sql.store_reply,
                **self._claim,
                status=reply.status,
                answer=None if secret else json.dumps(answer),
                resource_id=reply.secret_id,
            )
            _still_ours(row)

        if not await writes.commit(write):
            async with self._data.write() as writer:
                await write(writer)

    async def _release(self) -> None:
        async with self._data.write() as writer:
            await writer.run(sql.release, **self._claim)


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
