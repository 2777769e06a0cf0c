"""One turn with a model behind an OpenAI-compatible endpoint; the server and `guildhall worker` share it."""

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from builtin_plugins.executors.completions import NotACompletion, turn_result
from builtin_plugins.executors.endpoints import EndpointRefused
from guildhall_sdk import JobFailed
from guildhall_sdk.redaction import redact

if TYPE_CHECKING:
    import httpx

TURN_SECONDS = 120.0
MOST_REPLY_BYTES = 8 * 1024 * 1024
DEFAULT_MAX_TOKENS = 1024
_SENT = ("model", "messages", "response_format", "tools", "temperature")
_TRY_AGAIN = frozenset({408, 425, 429})
_MOST_REASON = 300


async def run_turn(
    client: "httpx.AsyncClient",
    url: str,
    key: str | None,
    payload: Mapping[str, Any],
    *,
    timeout_seconds: float = TURN_SECONDS,
) -> dict[str, Any]:
    """`{reply, finish_reason, tool_calls?, usage?}` for an `ai.turn` payload.

    Raises `JobFailed`: `model_unavailable`, with `retry` where trying again may help,
    `executor_timeout`, or `endpoint_refused`.
    """
    import httpx

    try:
        async with asyncio.timeout(timeout_seconds):
            status, body = await _post(client, f"{url}/chat/completions", key, payload)
    except (TimeoutError, httpx.TimeoutException):
        raise JobFailed(
            "executor_timeout", f"The model did not answer within {timeout_seconds:g} s.", retry=True
        ) from None
    except EndpointRefused as refusal:
        raise JobFailed(refusal.code, refusal.detail) from None
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError):  # their words may quote the key
        raise _unavailable("The model's endpoint cannot be reached.", retry=True) from None
    if status != 200:
        raise _refusal(status, body, key)
    return _read(body, key, wants_json=_wants_json(payload))


async def _post(
    client: "httpx.AsyncClient", url: str, key: str | None, payload: Mapping[str, Any]
) -> tuple[int, bytes]:
    # Compressed, a small answer could unfold to any size.
    headers = {"Accept": "application/json", "Accept-Encoding": "identity", **authorization(key)}
    sent = {name: payload[name] for name in _SENT if payload.get(name) is not None}
    sent["max_tokens"] = payload.get("max_tokens") or DEFAULT_MAX_TOKENS
    async with client.stream("POST", url, json=sent, headers=headers) as response:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise _unavailable("The model's endpoint compresses its answers though asked not to.")
        chunks: list[bytes] = []
        size = 0
        async for chunk in response.aiter_raw():
            size += len(chunk)
            if size > MOST_REPLY_BYTES:
                raise _unavailable(f"The model's answer is larger than {MOST_REPLY_BYTES >> 20} MiB.")
            chunks.append(chunk)
        return response.status_code, b"".join(chunks)


def authorization(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Authorization": f"Bearer {key}"}


def _read(body: bytes, key: str | None, *, wants_json: bool) -> dict[str, Any]:
    answer = json_of(body)
    try:
        return turn_result(answer, wants_json=wants_json)
    except NotACompletion:
        reason = reason_of(answer, key) or "it is not a chat completion"
        raise _unavailable(f"The model's answer cannot be used: {reason}.") from None


def _refusal(status: int, body: bytes, key: str | None) -> JobFailed:
    if 300 <= status < 400:
        return _unavailable(f"The model's endpoint answered {status}; redirects are not followed.")
    reason = reason_of(json_of(body), key)
    return _unavailable(
        f"The model's endpoint answered {status}{f': {reason}' if reason else ''}.",
        retry=status >= 500 or status in _TRY_AGAIN,
    )


def json_of(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def reason_of(answer: Any, key: str | None) -> str | None:
    """The endpoint's own words, as OpenAI's form has them: short, on one line, without the key."""
    error = answer.get("error") if isinstance(answer, Mapping) else None
    text = error.get("message") if isinstance(error, Mapping) else error
    if not isinstance(text, str) or not text.strip():
        return None
    if key:
        text = text.replace(key, "[redacted]")
    plain = "".join(char if char.isprintable() else " " for char in redact(text[: 2 * _MOST_REASON]))
    return plain[:_MOST_REASON].strip().rstrip(".")


def _wants_json(payload: Mapping[str, Any]) -> bool:
    wanted = payload.get("response_format")
    return isinstance(wanted, Mapping) and wanted.get("type") in ("json_object", "json_schema")


def _unavailable(message: str, *, retry: bool = False) -> JobFailed:
    return JobFailed("model_unavailable", message, retry=retry)
