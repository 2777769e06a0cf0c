"""How an attempt ends: completed, failed, or taken away. Each is fenced by the token of its claim."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from guildhall_sdk import Data, Row, Writer
from guildhall_sdk.services import Quotas, Reservation
from kernel.scheduler.enqueueing import open_lanes
from kernel.scheduler.grouping import Group
from kernel.scheduler.retries import LOST, POISON, RETURNED, is_poisoned, wait_ms
from kernel.scheduler.statements import LeaseClock, sql
from kernel.scheduler.writing import written

MAX_RESULT_BYTES = 1024 * 1024
_TOO_LARGE = (
    "result_too_large",
    "The result is over 1 MiB: keep what is long in the repository, and give its key.",
)

Effect = Callable[[Writer], Awaitable[None]]
# Told in the transaction in which jobs end or change hands.
Record = Callable[[Writer, Sequence[Row]], Awaitable[None]]
_LONG_RESULT = 64 * 1024
MOST_CODE, MOST_MESSAGE = 200, 2000


class Landing(Enum):
    """What became of a report: it counted, it had counted before, or the job is no longer the reporter's."""

    LANDED = "landed"
    REPEATED = "repeated"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class End:
    """A report about one attempt; `result` is JSON already."""

    job_id: str
    token: str
    verb: Literal["complete", "fail"]
    result: str | None = None
    code: str | None = None
    message: str | None = None
    retry: bool = False

    def completion(self) -> tuple[str, str, str | None]:
        return self.job_id, self.token, self.result

    def failure(self) -> dict[str, Any]:
        return {
            "id": self.job_id,
            "token": self.token,
            "retry": int(self.retry),
            "code": _kept(self.code, MOST_CODE),
            "message": _kept(self.message, MOST_MESSAGE),
            "wait_ms": wait_ms(attempt_of(self.token)),
        }


async def completed(job_id: str, token: str, result: Any) -> End:
    """The report of a result. One that is too large can only fail: the next attempt would give the same."""
    text = await written(result)
    if len(text) > MAX_RESULT_BYTES and await asyncio.to_thread(_utf8_size, text) > MAX_RESULT_BYTES:
        code, message = _TOO_LARGE
        return End(job_id, token, "fail", code=code, message=message)
    return End(job_id, token, "complete", result=text)


def _utf8_size(text: str) -> int:
    """What JSON takes without escapes for what is not ASCII."""
    return len(json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _kept(text: str | None, most: int) -> str | None:
    """Without what a database cannot keep: one such report would cost all that share its transaction."""
    return None if text is None else text.replace("\x00", "").encode("utf-8", "replace").decode()[:most]


def attempt_of(token: str) -> int:
    """The attempt that a token names; 1 for what is no token of ours, which lands nowhere anyway."""
    number = token.partition(".")[0]
    return int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 1


def _taken_away(row: Row, *, at_once: bool, blamed: bool) -> dict[str, Any]:
    lapses = row["lapses"] + blamed
    poisoned = blamed and is_poisoned(lapses, row["max_attempts"])
    code, message = POISON if poisoned else LOST if blamed else RETURNED
    return {
        "id": row["id"],
        "poisoned": int(poisoned),
        "lapses": lapses,
        "wait_ms": 0 if at_once else wait_ms(lapses),
        "code": code,
        "message": message,
    }


async def record_nothing(writer: Writer, rows: Sequence[Row]) -> None:
    """For a scheduler whose ends nobody records."""


class Endings:
    """Writes reports, many in one transaction; `ended` is told of every job that changed hands or ended."""

    def __init__(
        self,
        data: Data,
        quotas: Quotas,
        time: LeaseClock,
        ended: Callable[[Sequence[Row]], None],
        record: Record = record_nothing,
    ) -> None:
        self._data = data
        self._quotas = quotas
        self._time = time
        self._ended = ended
        self.record = record
        self._group: Group[End, Landing] = Group(self._report_all)

    async def report(self, end: End, effect: Effect | None = None) -> Landing:
        """An effect shares the transaction of its own report only: should it fail, no other is lost.

        So does a long result: nobody else's report waits until it is written.
        """
        if effect is None and len(end.result or "") <= _LONG_RESULT:
            return await self._group.put(end)
        return (await self._report_all([end], effect))[0]

    async def settled(self) -> None:
        await self._group.settled()

    def tell(self, rows: Sequence[Row]) -> None:
        """These ended otherwise than by a report."""
        self._ended(rows)

    async def _report_all(self, ends: Sequence[End], effect: Effect | None = None) -> Sequence[Landing]:
        async with self._data.write() as writer:
            # A job that is reported twice in one batch: the first report counts.
            first = {end.job_id: end for end in reversed(ends)}
            landed = await self._land(writer, list(first.values()))
            if effect is not None and landed:
                await effect(writer)
            await self.record(writer, list(landed.values()))
            counted = {id(end) for end in first.values() if end.job_id in landed}
            landings = [
                Landing.LANDED if id(end) in counted else await self._met_before(writer, end) for end in ends
            ]
            writer.after_commit(lambda: self._ended(list(landed.values())))
        return landings

    async def _land(self, writer: Writer, ends: Sequence[End]) -> dict[str, Row]:
        rows: list[Row] = []
        for statement, told in (
            (sql.complete, [end.completion() for end in ends if end.verb == "complete"]),
            (sql.fail, [end.failure() for end in ends if end.verb == "fail"]),
        ):
            if told:
                now, wall = self._time.now(), self._time.time_of_day()
                rows += await writer.all(statement, ends=await written(told), now=now, wall=wall)
        await self.settle_quota(writer, rows)
        return {row["id"]: row for row in rows}

    @staticmethod
    async def _met_before(writer: Writer, end: End) -> Landing:
        before = await writer.one(sql.landed, id=end.job_id, token=end.token, verb=end.verb)
        return Landing.STALE if before is None else Landing.REPEATED

    async def take_away(
        self, writer: Writer, held: Iterable[Row], *, at_once: bool = False, blamed: bool = True
    ) -> Sequence[Row]:
        """Ends attempts whose runner is gone. The rows are locked, or nobody else could change them.

        They wait for another attempt, or not with `at_once`. Not `blamed` is a job whose runner was taken
        from it.
        """
        jobs = [_taken_away(row, at_once=at_once, blamed=blamed) for row in held]
        if not jobs:
            return ()
        rows = await writer.all(sql.take_away, jobs=json.dumps(jobs), wall=self._time.time_of_day())
        ready = [row for row in rows if row["state"] == "queued"]
        await open_lanes(writer, ((row["pool"], row["team_id"], row["org_id"]) for row in ready))
        await self.settle_quota(writer, rows)
        await self.record(writer, rows)
        writer.after_commit(lambda: self._ended(rows))
        return rows

    async def settle_quota(self, writer: Writer, rows: Iterable[Row]) -> None:
        """What a job reserved is spent when it succeeded, else given back; by company, as in a claim."""
        reserved = [row for row in rows if row["reservation"] is not None]
        for row in sorted(reserved, key=lambda row: str(row["org_id"])):
            reservation = Reservation(row["reservation"], row["org_id"], row["team_id"])
            if row["state"] == "succeeded":
                await self._quotas.settle(writer, reservation)
            else:
                await self._quotas.release(writer, reservation)
