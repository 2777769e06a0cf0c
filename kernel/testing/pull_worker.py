"""A pull worker in the test's own process: what `guildhall worker` runs, against a hall."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from guildhall_sdk.services import Executors, LocalWorkers, NewExecutor, WorkerModel
from kernel.boot import Server
from kernel.clock import SystemClock
from kernel.testing.model import MODEL_KEY, MODEL_NAME, ScriptedModel


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
    executors = server.service(Executors)
    admitted = await executors.admit(NewExecutor(name, "pull"), by_operator=True)
    async with server.data.write() as writer:
        _, token = await executors.create(writer, admitted)
    assert token is not None
    return token
