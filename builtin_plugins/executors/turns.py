"""One turn with a model, from the payload of an `ai.turn` job to its result; server and workers share it."""

from collections.abc import Mapping
from typing import Any

from builtin_plugins.executors.endpoints import EndpointRefused
from guildhall_sdk import JobFailed
from guildhall_sdk.services.executors import ExecutorTimeout, ModelEndpoint, ModelUnavailable
from libs.model_wire import NotACompletion, read_completion

DEFAULT_MAX_TOKENS = 1024
_SENT = ("model", "messages", "response_format", "tools", "temperature")


async def run_turn(endpoint: ModelEndpoint, payload: Mapping[str, Any]) -> dict[str, Any]:
    """`{reply, finish_reason, tool_calls?, usage?}` for an `ai.turn` payload.

    Raises `JobFailed`: `model_unavailable`, with `retry` where trying again may help,
    `executor_timeout`, or `endpoint_refused`; and `ModelBusy`, which puts the job off.
    """
    request = {name: payload[name] for name in _SENT if payload.get(name) is not None}
    request["max_tokens"] = payload.get("max_tokens") or DEFAULT_MAX_TOKENS
    try:
        answer = await endpoint.call(request)
        return read_completion(answer, wants_json=_wants_json(payload)).turn_result()
    except NotACompletion:
        message = "The model's answer cannot be used: it is not a chat completion."
        raise JobFailed(ModelUnavailable.code, message) from None
    except ModelUnavailable as fault:
        raise JobFailed(fault.code, fault.detail, retry=fault.retry) from None
    except ExecutorTimeout as fault:
        raise JobFailed(fault.code, fault.detail, retry=True) from None
    except EndpointRefused as refusal:
        raise JobFailed(refusal.code, refusal.detail) from None


def _wants_json(payload: Mapping[str, Any]) -> bool:
    wanted = payload.get("response_format")
    return isinstance(wanted, Mapping) and wanted.get("type") in ("json_object", "json_schema")
