"""Turns with models as jobs: pushed by the server, or run by a worker that reaches a model itself."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from builtin_plugins.executors.endpoints import EndpointRefused
from builtin_plugins.executors.model_endpoint import HttpModelEndpoint
from builtin_plugins.executors.quirks import OwnMemory
from builtin_plugins.executors.service import stored_executors
from guildhall_sdk import Host, JobCall, JobFailed
from guildhall_sdk.jobs import RemoteCall, RemoteHandler
from guildhall_sdk.services.jobs import TurnRunner
from guildhall_sdk.services.models import ExecutorTimeout, ModelEndpoint, ModelUnavailable
from libs.model_wire import MODEL_TURN, NotACompletion, NotEmbeddings, read_completion, read_embeddings

DEFAULT_MAX_TOKENS = 1024
_SENT = ("model", "messages", "response_format", "tools", "temperature")

#: The server may wait for less; whoever asked has gone then, and the result is for nobody.
WORKER_TURN_SECONDS = 600


async def run_turn(endpoint: ModelEndpoint, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Returns `{reply, finish_reason, tool_calls?, usage?}` for an `ai.turn` payload, or `{embeddings}`.

    Raises `JobFailed`: `model_unavailable`, with `retry` where trying again may help,
    `executor_timeout`, or `endpoint_refused`; and `ModelBusy`, which puts the job off.
    """
    request = {name: payload[name] for name in _SENT if payload.get(name) is not None}
    try:
        if payload.get("input"):
            vectors, _ = read_embeddings(await endpoint.embed(_texts(payload)), len(payload["input"]))
            return {"embeddings": [list(vector) for vector in vectors]}
        request["max_tokens"] = payload.get("max_tokens") or DEFAULT_MAX_TOKENS
        answer = await endpoint.call(request)
        return read_completion(answer, wants_json=_wants_json(payload)).turn_result()
    except NotACompletion:
        message = "The model's answer cannot be used: it is not a chat completion."
        raise JobFailed(ModelUnavailable.code, message) from None
    except NotEmbeddings as fault:
        raise JobFailed(ModelUnavailable.code, f"The model's vectors cannot be used: {fault}.") from None
    except ModelUnavailable as fault:
        raise JobFailed(fault.code, fault.detail, retry=fault.retry) from None
    except ExecutorTimeout as fault:
        raise JobFailed(fault.code, fault.detail, retry=True) from None
    except EndpointRefused as refusal:
        raise JobFailed(refusal.code, refusal.detail) from None


def _texts(payload: Mapping[str, Any]) -> dict[str, Any]:
    return {name: payload[name] for name in ("model", "input") if payload.get(name) is not None}


def _wants_json(payload: Mapping[str, Any]) -> bool:
    wanted = payload.get("response_format")
    return isinstance(wanted, Mapping) and wanted.get("type") in ("json_object", "json_schema")


class PushTurns:
    """Implements the SDK's `PushRunner`: a turn with the model behind a push executor."""

    def __init__(self, host: Host) -> None:
        executors = stored_executors(host)
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
