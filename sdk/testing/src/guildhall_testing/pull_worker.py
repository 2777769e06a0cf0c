"""A pull worker in the test's own process: what `guildhall worker` runs, against a hall."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from guildhall_sdk import new_id
from guildhall_sdk.services.jobs import LocalWorkers, Worker, WorkerModel, WorkerRegistry
from guildhall_testing.model import MODEL_KEY, MODEL_NAME, ScriptedModel
from kernel.boot import Server
from kernel.clock import SystemClock


@asynccontextmanager
async def running_worker(
    server: Server, name: str, kinds: Sequence[str], slots: int, model: ScriptedModel | None
) -> AsyncIterator[None]:
    """Works until the block ends, and then finishes what it holds."""
    async with server.service(LocalWorkers).running(
        server.settings.base_url,
        await _token(server, name),
        SystemClock(),
        kinds=kinds or None,
        slots=slots,
        model=None if model is None else WorkerModel(MODEL_NAME, model.url, MODEL_KEY),
    ):
        yield


async def _token(server: Server, name: str) -> str:
    worker_id = new_id("exe", server.clock.now_ms())
    async with server.data.write() as writer:
        return (await server.service(WorkerRegistry).register(writer, Worker(worker_id, name))).token
