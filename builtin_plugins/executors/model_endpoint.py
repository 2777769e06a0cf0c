"""A model's endpoint as plugins call it: JSON in, JSON or a stream of JSON out, all of it bounded."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from builtin_plugins.executors.endpoints import EndpointRefused
from guildhall_sdk.redaction import redact
from guildhall_sdk.services import ExecutorTimeout, ModelUnavailable

if TYPE_CHECKING:
    import httpx

MAX_ANSWER_BYTES = 8 * 1024 * 1024
MAX_STREAM_BYTES = 16 * 1024 * 1024
MAX_LINE_BYTES = 1024 * 1024
MAX_STREAM_SECONDS = 1800.0
_LINES_AT_ONCE = 64
_MAX_REASON = 300
_TRY_AGAIN = frozenset({408, 425, 429})
_DONE = b"[DONE]"


class HttpModelEndpoint:
    """Implements the SDK's `ModelEndpoint`. Nothing of the key is in its text, nor in what it raises."""

    __slots__ = ("_client", "_key", "_timeout_seconds", "_url", "executor", "model")

    def __init__(
        self,
        client: "Callable[[], httpx.AsyncClient]",
        url: str,
        key: str | None,
        *,
        timeout_seconds: float,
        executor: str = "",
        model: str | None = None,
    ) -> None:
        self._client = client
        self._url = f"{url}/chat/completions"
        self._key = key
        self._timeout_seconds = timeout_seconds
        self.executor = executor
        self.model = model

    async def call(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            async with (
                asyncio.timeout(self._timeout_seconds),
                self._send(request, "application/json") as got,
            ):
                answer = json_of(await _read_body(got))
        except TimeoutError:
            raise self._too_late() from None
        except _transport_faults() as fault:
            raise self._fault(fault) from None
        if not isinstance(answer, dict):
            raise ModelUnavailable("The model's answer is not a JSON object.")
        if answer.get("error") is not None:
            raise self._model_failure(answer)
        return answer

    async def stream(self, request: Mapping[str, Any]) -> AsyncGenerator[Mapping[str, Any], None]:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + MAX_STREAM_SECONDS
        finished = False
        async with aclosing(self._chunks({**request, "stream": True})) as chunks:
            while True:
                try:
                    # Not around the yield: what the caller does meanwhile is not the model's time.
                    async with asyncio.timeout(min(self._timeout_seconds, deadline - loop.time())):
                        chunk = await anext(chunks)
                except StopAsyncIteration:
                    break
                except TimeoutError:
                    raise self._too_late() from None
                except _transport_faults() as fault:
                    raise self._fault(fault) from None
                if chunk is None:
                    return
                if chunk.get("error") is not None:
                    raise self._model_failure(chunk)
                finished = finished or _is_last(chunk)
                yield chunk
        if not finished:
            raise ModelUnavailable("The model's stream broke off.", retry=True)

    async def _chunks(self, request: Mapping[str, Any]) -> AsyncGenerator[dict[str, Any] | None, None]:
        """What stands behind each `data:`; None is the end that the endpoint says."""
        async with self._send(request, "text/event-stream") as got:
            if not got.headers.get("content-type", "").lower().startswith("text/event-stream"):
                await _read_body(got)
                raise ModelUnavailable("The model's endpoint does not stream.")
            async for line in _lines(got.aiter_raw()):
                if not line.startswith(b"data:"):
                    continue
                data = line[5:].strip()
                if data == _DONE:
                    yield None
                elif data:
                    chunk = json_of(data)
                    if not isinstance(chunk, dict):
                        raise ModelUnavailable("The model's stream holds something that is not JSON.")
                    yield chunk

    def _send(self, request: Mapping[str, Any], accept: str) -> "_CheckedResponse":
        sent = {**request, "model": request.get("model") or self.model}
        if sent["model"] is None:
            del sent["model"]
        # Compressed, a small answer could unfold to any size.
        headers = {"Accept": accept, "Accept-Encoding": "identity", **authorization(self._key)}
        return _CheckedResponse(self, self._client().stream("POST", self._url, json=sent, headers=headers))

    async def check(self, got: "httpx.Response") -> None:
        """Raises `ModelUnavailable` unless an answer begins here that can be read."""
        if got.headers.get("content-encoding", "identity").lower() != "identity":
            raise ModelUnavailable("The model's endpoint compresses its answers though asked not to.")
        status = got.status_code
        if status == 200:
            return
        if 300 <= status < 400:
            detail = f"The model's endpoint answered {status}; redirects are not followed."
        else:
            reason = reason_of(json_of(await _read_body(got)), self._key)
            detail = f"The model's endpoint answered {status}{f': {reason}' if reason else ''}."
        retry = status >= 500 or status in _TRY_AGAIN
        raise ModelUnavailable(detail, upstream_status=status, retry=retry)

    def _model_failure(self, answer: Mapping[str, Any]) -> ModelUnavailable:
        reason = reason_of(answer, self._key)
        return ModelUnavailable(f"The model failed{f': {reason}' if reason else ''}.")

    def _too_late(self) -> ExecutorTimeout:
        return ExecutorTimeout(f"The model did not answer within {self._timeout_seconds:g} s.")

    def _fault(self, fault: Exception) -> Exception:
        """Of what a library says nothing is repeated: it may quote the key."""
        import httpx

        if isinstance(fault, EndpointRefused):
            return EndpointRefused(fault.detail)
        if isinstance(fault, httpx.TimeoutException):
            return self._too_late()
        return ModelUnavailable("The model's endpoint cannot be reached.", retry=True)


class _CheckedResponse:
    """The answer to a request, once it is known to be one."""

    def __init__(self, endpoint: HttpModelEndpoint, opening: Any) -> None:
        self._endpoint = endpoint
        self._opening = opening

    async def __aenter__(self) -> "httpx.Response":
        got: httpx.Response = await self._opening.__aenter__()
        try:
            await self._endpoint.check(got)
        except BaseException as fault:
            await self._opening.__aexit__(type(fault), fault, fault.__traceback__)
            raise
        return got

    async def __aexit__(self, *fault: Any) -> None:
        await self._opening.__aexit__(*fault)


def authorization(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Authorization": f"Bearer {key}"}


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
    plain = "".join(char if char.isprintable() else " " for char in redact(text[: 2 * _MAX_REASON]))
    return plain[:_MAX_REASON].strip().rstrip(".")


def _transport_faults() -> tuple[type[Exception], ...]:
    import httpx

    return (EndpointRefused, httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, UnicodeEncodeError)


async def _read_body(got: "httpx.Response") -> bytes:
    body = bytearray()
    async for chunk in got.aiter_raw():
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            raise ModelUnavailable(f"The model's answer is larger than {MAX_ANSWER_BYTES >> 20} MiB.")
    return bytes(body)


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    rest, size, number = bytearray(), 0, 0
    async for chunk in chunks:
        size += len(chunk)
        searched = len(rest)
        rest += chunk
        while (end := rest.find(b"\n", searched)) >= 0:
            yield bytes(rest[:end]).rstrip(b"\r")
            del rest[: end + 1]
            searched = 0
            number += 1
            if number % _LINES_AT_ONCE == 0:
                await asyncio.sleep(0)  # thousands of lines may come in one chunk
        if size > MAX_STREAM_BYTES or len(rest) > MAX_LINE_BYTES:
            raise ModelUnavailable("The model's stream is too large.")
    if rest:
        yield bytes(rest).rstrip(b"\r")


def _is_last(chunk: Mapping[str, Any]) -> bool:
    choices = chunk.get("choices")
    return isinstance(choices, list) and any(
        isinstance(choice, Mapping) and choice.get("finish_reason") for choice in choices
    )
