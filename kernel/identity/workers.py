"""Workers: registered with a token of their own, and when they called last."""

import json
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path

from guildhall_sdk import Clock, Credential, Reader, Writer, load_queries, new_id
from guildhall_sdk.data import Data
from guildhall_sdk.services.identity import IssuedToken
from guildhall_sdk.services.jobs import Worker
from kernel.identity.authenticate import hash_of, new_token
from kernel.identity.credentials import ID_PREFIX, StoredCredentials

_sql = load_queries(Path(__file__).with_name("workers.sql"))
NOTED_EVERY_MS = 10_000
# Longer than any claim that was under way when its worker was retired.
_RETIRED_KEPT_MS = 24 * 3_600_000


class StoredWorkers:
    """The part of the SDK's `WorkerRegistry` that is about tokens; what a worker holds is the scheduler's."""

    def __init__(self, data: Data, clock: Clock) -> None:
        self._data = data
        self._clock = clock
        self._noted: dict[str, int] = {}

    async def register(
        self, writer: Writer, worker: Worker, made_with: Credential | None = None
    ) -> IssuedToken:
        """Issues a token, which ends when the worker is retired, or with the token that it was made with."""
        now, token, maker, expires_at = self._clock.now_ms(), new_token("worker"), None, None
        if made_with is not None:
            maker = await StoredCredentials(self._clock).hold_maker(writer, made_with)
            expires_at = made_with.bound_end(None, asked=False)
        issued = IssuedToken(new_id(ID_PREFIX, now), token, expires_at)
        made = {"secret_hash": hash_of(token), "made_with": maker, "now": now, "expires_at": expires_at}
        await writer.run(_sql.insert_worker_credential, id=issued.id, name=worker.name, **made)
        who = {"id": worker.id, "org_id": worker.org_id, "name": worker.name}
        await writer.run(_sql.add_worker, **who, token_id=issued.id)
        return issued

    async def retire(self, writer: Writer, worker_id: str) -> None:
        """Ends the token. A claim of the worker that is under way is waited for, and its next one refused."""
        now = self._clock.now_ms()
        await writer.run(_sql.retire_worker, id=worker_id, at=now)
        await writer.run(_sql.delete_worker_credential, worker_id=worker_id)
        await writer.run(_sql.forget_retired, before=now - _RETIRED_KEPT_MS)
        writer.after_commit(partial(self._forget, worker_id))

    def _forget(self, worker_id: str) -> None:
        self._noted.pop(worker_id, None)

    async def last_calls(self, reader: Reader, ids: Collection[str]) -> Mapping[str, int]:
        rows = await reader.all(_sql.last_calls, ids=json.dumps([*ids])) if ids else ()
        return {row["id"]: row["called_at"] for row in rows}

    async def note_call(self, worker: Worker) -> None:
        """Writes down that a worker called, not more often than it is worth a write; of a person nothing.

        Not inside a scope.
        """
        now = self._clock.steady_ms()
        noted = self._noted.get(worker.id, now - NOTED_EVERY_MS)
        if worker.team_id is None and now - noted >= NOTED_EVERY_MS:
            self._noted[worker.id] = now  # one that is refused is made up for by the next
            async with self._data.write() as writer:
                await writer.run(_sql.note_call, id=worker.id, at=self._clock.now_ms())
