"""A worker: claims jobs of a hall, has functions work on them, and reports what came of it."""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from guildhall_client.errors import (
    Conflict,
    GuildhallError,
    InvalidRequest,
    NotFound,
    Problem,
    Unauthenticated,
)
from guildhall_client.sending import OMITTED
from guildhall_client.synchronous.client import Client
from guildhall_client.types import WorkerClaimReply

Work = Callable[[Any], Any]

_log = logging.getLogger("guildhall_client.worker")
#: How long a claim waits at the server.
_CLAIM_WAIT = 25.0
_LONGEST_PAUSE = 60.0


class FailJob(Exception):
    """Raised by a job's function: the job fails with this code, or is tried again with `retry`."""

    def __init__(
        self, code: str, message: str, *, retry: bool = False, retry_after: int | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.retry, self.retry_after = code, message, retry, retry_after


class Worker:
    """Works on jobs one at a time; several of them, or several processes, share the jobs of a hall.

    `kinds` has the function of each kind: it gets the job's payload and returns its result, as JSON.
    """

    def __init__(self, client: Client, kinds: Mapping[str, Work], *, models: Sequence[str] = ()) -> None:
        self._client = client
        self._kinds = kinds
        self._models = models
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Claims no more; `run` returns when the job that is under way is done. Any thread may call it."""
        self._stopping.set()

    def run(self, jobs: int | None = None) -> int:
        """Works until it is stopped, or on so many jobs; returns on how many. A refused token is raised."""
        done = failures = 0
        while not self._stopping.is_set() and done != jobs:
            try:
                job = self._client.workers.claim(
                    kinds=[*self._kinds], max_wait=_CLAIM_WAIT, models=[*self._models] or OMITTED
                )
            except GuildhallError as error:
                if isinstance(error, Problem) and error.status < 500 and error.status != 429:
                    raise
                failures += 1
                _log.warning("no job could be claimed: %s", error)
                self._stopping.wait(min(_LONGEST_PAUSE, 2.0**failures))
                continue
            failures = 0
            if job is not None:
                self._work(job)
                done += 1
        return done

    def _work(self, job: WorkerClaimReply) -> None:
        """Works on one job while a thread holds its lease."""
        over, lost = threading.Event(), threading.Event()
        beating = threading.Thread(target=self._hold, args=(job, over, lost), daemon=True)
        beating.start()
        try:
            report = self._outcome(job)
        finally:
            over.set()
            beating.join()
        if lost.is_set():
            _log.warning("job %s is somebody else's by now", job["id"])
            return
        try:
            report()
        except InvalidRequest as error:
            self._fail(job, FailJob("invalid_result", error.detail[:2000]))
        except (Conflict, NotFound):
            _log.warning("job %s is somebody else's by now", job["id"])

    def _outcome(self, job: WorkerClaimReply) -> Callable[[], object]:
        try:
            result = self._kinds[job["kind"]](job["payload"])
        except FailJob as failed:
            failure = failed
            return lambda: self._fail(job, failure)
        except Exception as error:
            _log.exception("job %s failed", job["id"])
            failure = FailJob("failed", type(error).__name__)
            return lambda: self._fail(job, failure)
        return lambda: self._client.workers.complete(job["id"], claim_token=job["claim_token"], result=result)

    def _fail(self, job: WorkerClaimReply, failed: FailJob) -> None:
        self._client.workers.fail(
            job["id"],
            claim_token=job["claim_token"],
            error={"code": failed.code, "message": failed.message},
            retry=failed.retry,
            retry_after=OMITTED if failed.retry_after is None else failed.retry_after,
        )

    def _hold(self, job: WorkerClaimReply, over: threading.Event, lost: threading.Event) -> None:
        """Renews the lease at a third of its time, until the job is over or somebody else's."""
        pause = job["lease"]["seconds"] / 3
        while not over.wait(pause):
            try:
                self._client.workers.heartbeat(job["id"], claim_token=job["claim_token"])
            except (Conflict, NotFound, Unauthenticated):
                lost.set()
                return
            except GuildhallError as error:
                _log.warning("the lease of job %s is not renewed: %s", job["id"], error)
