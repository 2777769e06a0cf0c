"""Turns with models as jobs: pushed by the server, or run by a worker that reaches a model itself."""

from collections import defaultdict
from typing import Any

from builtin_plugins.executors.model_endpoint import HttpModelEndpoint
from builtin_plugins.executors.quirk_memory import OwnMemory
from builtin_plugins.executors.service import StoredExecutors
from builtin_plugins.executors.turns import run_turn
from guildhall_sdk import Host, JobCall, JobFailed
from guildhall_sdk.jobs import RemoteCall, RemoteHandler
from guildhall_sdk.services.executors import Executors
from guildhall_sdk.services.workers import TurnRunner
from libs.model_wire import MODEL_TURN

WORKER_TURN_SECONDS = 600
"""The server may wait for less; whoever asked has gone then, and the result is for nobody."""


class PushTurns:
    """Implements the SDK's `PushRunner`: a turn with the model behind a push executor."""

    def __init__(self, host: Host) -> None:
        executors = host.service(Executors)
        assert isinstance(executors, StoredExecutors)
        self._executors = executors
        self._data = host.data

    async def run(self, job: JobCall) -> dict[str, Any]:
        async with self._data.read() as reader:
            endpoint = await self._executors.push_endpoint(reader, job.bound_to or "")
            if endpoint is None:
                raise JobFailed("unknown_executor", "The executor is not there any more.")
            opened = await self._executors.open_endpoint(reader, endpoint)
        return await run_turn(opened, job.payload)


def worker_turns(url: str, key: str | None) -> RemoteHandler:
    """Runs turns on a worker. The endpoint is that machine's own choice: it is asked without a guard."""
    import httpx

    from builtin_plugins.executors.worker_client import WorkerClient

    trust = httpx.create_ssl_context()  # slow to make, and the same for every turn
    memories: defaultdict[str | None, OwnMemory] = defaultdict(OwnMemory)

    async def turn(call: RemoteCall) -> Any:
        async with httpx.AsyncClient(verify=trust, timeout=WORKER_TURN_SECONDS) as client:
            endpoint = HttpModelEndpoint(
                lambda: WorkerClient(client),
                url,
                key,
                timeout_seconds=WORKER_TURN_SECONDS,
                memory=memories[call.payload.get("model")],
            )
            return await run_turn(endpoint, call.payload)

    return turn


WORKER_TURNS = TurnRunner(kind=MODEL_TURN, timeout_seconds=WORKER_TURN_SECONDS + 30, handler=worker_turns)
