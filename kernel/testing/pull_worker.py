"""A pull worker in the test's own process: what `guildhall worker` runs, against a hall."""

import asyncio
import io
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

import httpx

from guildhall_sdk import JobKind, new_id
from guildhall_sdk.services import WorkerRegistry
from guildhall_sdk.turns import TurnRunner
from kernel.boot import Server
from kernel.testing.model import MODEL_KEY, MODEL_NAME, ScriptedModel
from kernel.worker.board import Board
from kernel.worker.desk import Desk
from kernel.worker.display import PlainLines
from kernel.worker.kinds import MODEL_TURN, Runnable, runnable_kinds
from kernel.worker.pace import RealPace
from kernel.worker.pull import Worker

# A claim that is under way when the test is over need not be waited for as long as a real worker does.
_SETTLE_SECONDS = 0.05


@asynccontextmanager
async def running_worker(
    server: Server, name: str, kinds: Sequence[str], slots: int, model: ScriptedModel | None
) -> AsyncIterator[Worker]:
    """Works until the block ends, and then finishes what it holds."""
    runnable = _runnable(server, kinds, model)
    token = await _token(server, name)
    pace = RealPace()
    timeout = httpx.Timeout(None, connect=10)
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(
        base_url=server.settings.base_url, headers=headers, timeout=timeout, trust_env=False
    ) as client:
        worker = Worker(
            Desk(client, pace),
            pace,
            runnable,
            Board(PlainLines(io.StringIO(), pace)),
            models=[MODEL_NAME] if MODEL_TURN in runnable else [],
            slots=slots,
            settle_seconds=_SETTLE_SECONDS,
        )
        working = asyncio.create_task(worker.run())
        try:
            yield worker
        except BaseException:
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working
            raise
        worker.stop()
        await working


def _runnable(server: Server, kinds: Sequence[str], model: ScriptedModel | None) -> Mapping[str, Runnable]:
    turns = None
    if model is not None:
        [(_, runner)] = server.registry.contributed(TurnRunner)
        turns = Runnable(runner.handler(model.url, MODEL_KEY), runner.timeout_seconds)
    return runnable_kinds(server.registry.declared(JobKind), turns, kinds or None)


async def _token(server: Server, name: str) -> str:
    worker_id = new_id("exe", server.clock.now_ms())
    async with server.data.write() as writer:
        return (await server.service(WorkerRegistry).register(writer, worker_id, name)).token
