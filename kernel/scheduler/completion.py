"""How an attempt ends: completed, failed, or taken away. Each is fenced by the token of its claim."""

import asyncio
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, Literal, NamedTuple

from guildhall_sdk import Row, Writer
from kernel.logs import get_logger
from kernel.scheduler.callbacks import Callbacks, Effect, settle_reservations
from kernel.scheduler.core import LONGEST_WAIT_MS, Core
from kernel.scheduler.lanes import lane_of, open_lanes
from kernel.scheduler.rows import written
from kernel.scheduler.statements import MAX_FEW, for_few, sql
from kernel.scope import own_context
from libs.coordination import GroupCommit, backoff
from libs.strict_json import utf8_size

MAX_RESULT_BYTES = 1024 * 1024
_TOO_LARGE = "The result is over 1 MiB: keep what is long in the repository, and give its key."
_LONG_RESULT = 64 * 1024
# Results of this length are written at once where they are few.
_QUICK_RESULT = 2 * 1024
# How long a job may be put off in all.
MAX_PUT_OFF_MS = 24 * 3600 * 1000
_log = get_logger("jobs")
MAX_CODE, MAX_MESSAGE = 200, 2000
_FIRST_WAIT_MS = 1_000
_LAPSES_BEFORE_POISON = 3
Verb = Literal["complete", "fail", "put_off", "stop"]

LOST = ("worker_lost", "Whoever ran it stopped answering.")
POISON = ("poison", "It was given up: again and again whoever ran it died or stopped answering.")
RETURNED = ("worker_retired", "The worker that ran it was retired.")


def wait_ms(attempt: int, chance: float | None = None) -> int:
    """Returns the wait before the next attempt: it doubles with each, and chance makes it half to all."""
    return round(backoff(attempt, _FIRST_WAIT_MS, LONGEST_WAIT_MS, chance))


def is_poisoned(lapses: int, max_attempts: int) -> bool:
    """Tells whether a job was lost so often in a row that it seems to kill its runner.

    One that may try often may lapse often.
    """
    return lapses >= max(_LAPSES_BEFORE_POISON, max_attempts // 2)


class ReportOutcome(Enum):
    """The fate of a report: it counts, it had counted before, or the job is no longer the reporter's."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class End:
    """A report about one attempt; `result` is JSON already."""

    job_id: str
    token: str
    verb: Verb
    result: str | None = None
    code: str | None = None
    message: str | None = None
    retry: bool = False
    wait_ms: int = 0

    @classmethod
    async def of_result(cls, job_id: str, token: str, result: Any) -> "End":
        """Makes the end of an attempt that succeeded.

        One whose result is too large can only fail, as the next attempt's would be.
        """
        text = await written(result)
        if len(text) > MAX_RESULT_BYTES and await asyncio.to_thread(_size, text) > MAX_RESULT_BYTES:
            return cls(job_id, token, "fail", code="result_too_large", message=_TOO_LARGE)
        return cls(job_id, token, "complete", result=text)

    def written(self) -> Sequence[Any] | dict[str, Any]:
        """Returns what its statement reads: `complete`, or `end_otherwise`."""
        if self.verb == "complete":
            return self.job_id, self.token, self.result
        return {
            "id": self.job_id,
            "token": self.token,
            "verb": self.verb,
            "result": self.result,
            "retry": int(self.retry),
            "code": _storable_text(self.code, MAX_CODE),
            "message": _storable_text(self.message, MAX_MESSAGE),
            "wait_ms": self.wait_ms if self.verb == "put_off" else wait_ms(attempt_of(self.token)),
            "max_ms": MAX_PUT_OFF_MS,
        }


def _size(text: str) -> int:
    return utf8_size(json.loads(text), (", ", ": "))


def _storable_text(text: str | None, max_length: int) -> str | None:
    """Cuts a text and drops what no database keeps: it would cost all that share the transaction."""
    return None if text is None else text.replace("\x00", "").encode("utf-8", "replace").decode()[:max_length]


def attempt_of(token: str) -> int:
    """Returns the attempt that a token names; 1 for one that is not ours, which lands nowhere anyway."""
    number = token.partition(".")[0]
    return int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 1


def _taken_away(row: Row, *, at_once: bool, lapsed: bool) -> dict[str, Any]:
    lapses = row["lapses"] + lapsed
    poisoned = lapsed and is_poisoned(lapses, row["max_attempts"])
    code, message = POISON if poisoned else LOST if lapsed else RETURNED
    return {
        "id": row["id"],
        "poisoned": int(poisoned),
        "lapses": lapses,
        "wait_ms": 0 if at_once else wait_ms(lapses),
        "code": code,
        "message": message,
    }


class _Report(NamedTuple):
    end: End
    effect: Effect | None = None
    #: Whether somebody is called when a job of its kind ends.
    has_callback: bool = False


class CompletionWriter:
    """Writes reports, many in one transaction, and passes on every job that changed hands or ended."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.callbacks = Callbacks(core)
        self._plain = GroupCommit(self._report_all, own_context)
        # Those with callbacks share transactions among themselves: what does without never waits for them.
        self._calling = GroupCommit(self._report_all, own_context, on_fewer=_log_fewer)

    async def report(self, end: End, effect: Effect | None = None, kind: str = "") -> ReportOutcome:
        """Raises what the effect raised, and then the job is the reporter's as before.

        A long result has a transaction of its own: nobody else's report waits until it is written.
        """
        report = _Report(end, effect, self.callbacks.wanted(kind))
        if len(end.result or "") > _LONG_RESULT:
            [answer] = await self._report_all([report])
        elif effect is None and not report.has_callback:
            answer = await self._plain.put(report)
        else:
            answer = await self._calling.put_or_commit_alone(
                report, lambda: kind in self.callbacks.slow_kinds, partial(_log_alone, end.job_id)
            )
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def settled(self) -> None:
        await self._plain.settled()
        await self._calling.settled()

    async def pass_on(
        self, writer: Writer, rows: Sequence[Row], *, shared: bool = False, change: int | None = None
    ) -> None:
        """Passes on, in the transaction in which they did, that attempts ended, or jobs that did not run."""
        await self.callbacks.call_ended(writer, rows, shared=shared)
        await self.release(writer, [row for row in rows if "reservation" in row])
        await self._core.events.jobs_ended(writer, rows)
        writer.after_commit(lambda: self._core.signals.ended(rows, change))

    async def release(self, writer: Writer, rows: Sequence[Row]) -> None:
        """Gives back what jobs held that do not run any more: what was reserved, and their room."""
        await settle_reservations(self._core, writer, rows)
        await self._core.blocked.clear(writer, rows)

    async def _report_all(self, reports: Sequence[_Report]) -> Sequence[ReportOutcome | Exception]:
        shared = len(reports) > 1
        async with self._core.data.write() as writer:
            change = await self._core.signals.changing_jobs()
            # A job that is reported twice in one batch: the first report counts.
            first = {report.end.job_id: report for report in reversed(reports)}
            accepted = await self._write_ends(writer, list(first.values()))
            faults = await self._run_effects(writer, first, accepted, shared=shared)
            await self.pass_on(writer, list(accepted.values()), shared=shared, change=change)
            counts = {id(first[job_id]) for job_id in accepted}
            return [faults.get(one.end.job_id) or await self._outcome(writer, one, counts) for one in reports]

    async def _write_ends(self, writer: Writer, reports: Sequence[_Report]) -> dict[str, Row]:
        """Writes those ends that the fence lets through, and returns their rows."""
        ends = [report.end for report in reports]
        few = len(ends) <= MAX_FEW and all(len(end.result or "") <= _QUICK_RESULT for end in ends)
        named = for_few if few else sql
        whole = any(report.has_callback for report in reports)
        rows: list[Row] = []
        for statement, those in (
            (named.complete_whole if whole else named.complete, [e for e in ends if e.verb == "complete"]),
            (sql.end_otherwise, [e for e in ends if e.verb != "complete"]),
        ):
            if those:
                text = await written([end.written() for end in those])
                rows += await writer.all(statement, ends=text, now=self._core.now, wall=self._core.wall)
        return {row["id"]: row for row in rows}

    async def _run_effects(
        self, writer: Writer, reports: Mapping[str, _Report], accepted: dict[str, Row], *, shared: bool
    ) -> dict[str, Exception]:
        """Runs the effects of jobs whose end counts; a job whose effect fails is its runner's again."""
        effects = {one: effect for one in accepted if (effect := reports[one].effect) is not None}
        if not effects:
            return {}
        jobs = [accepted[one] for one in effects]
        faults = await self.callbacks.run_effects(writer, jobs, effects, shared=shared)
        for job_id in faults:
            token, now = reports[job_id].end.token, self._core.now
            await writer.run(sql.retract, id=job_id, token=token, now=now, lease_ms=self._core.lease_ms)
            del accepted[job_id]
        return faults

    @staticmethod
    async def _outcome(writer: Writer, report: _Report, counts: Collection[int]) -> ReportOutcome:
        """Tells a report that counts from one that was accepted before, or of somebody without the job."""
        if id(report) in counts:
            return ReportOutcome.ACCEPTED
        end = report.end
        before = await writer.one(sql.landed, id=end.job_id, token=end.token, verb=end.verb)
        return ReportOutcome.STALE if before is None else ReportOutcome.DUPLICATE

    async def take_away(
        self, writer: Writer, held: Iterable[Row], *, at_once: bool = False, lapsed: bool = True
    ) -> Sequence[Row]:
        """Ends attempts whose runner is gone. The rows are locked, or nobody else could change them.

        They wait for another attempt, or not with `at_once`. Not `lapsed` is a job whose runner was taken
        from it.
        """
        jobs = [_taken_away(row, at_once=at_once, lapsed=lapsed) for row in held]
        if not jobs:
            return ()
        rows = await writer.all(sql.take_away, jobs=json.dumps(jobs), wall=self._core.wall)
        await open_lanes(writer, (lane_of(row) for row in rows if row["state"] == "queued"))
        await self.pass_on(writer, rows)
        return rows


def _log_alone(job_id: str, error: Exception) -> None:
    _log.warning("jobs.reported_alone", job=job_id, error=f"{type(error).__name__}: {error}")


def _log_fewer(reported: int, at_once: int) -> None:
    _log.warning("jobs.reported_by_fewer", jobs=reported, next=at_once)
