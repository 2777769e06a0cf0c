"""A model's endpoint as plugins call it: JSON in, JSON or a stream of JSON out, all of it bounded."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager, suppress
from typing import Any

from builtin_plugins.executors.answers import (
    EventLines,
    HttpAnswer,
    HttpClient,
    StreamTooLarge,
    WaitLimit,
    chunk_of,
    failed,
    is_error,
    json_of,
    refused,
)
from builtin_plugins.executors.endpoints import EndpointRefused
from builtin_plugins.executors.quirks import TOKEN_LIMITS, Negotiation, OwnMemory, QuirkMemory
from guildhall_sdk.services.models import ExecutorTimeout, ModelBusy, ModelUnavailable
from libs.outbound_http import HttpFault, HttpTimeout

MAX_ANSWER_BYTES = 8 * 1024 * 1024
MAX_STREAM_SECONDS = 1800.0
# A model that was held to JSON may write spaces for ever.
MAX_BLANK_CHARACTERS = 4096
# After the finish reason the counts may follow, and the end.
_LAST_WORD_SECONDS = 5.0
_CHUNKS_AT_ONCE = 64
_DONE = b"[DONE]"
# An endpoint that does not end its answer then loses its connection, which costs it another one.
_END_SECONDS = 0.05
_READS_AFTER_DONE = 4
_STREAM, _JSON = "text/event-stream", "application/json"
_CHAT, _EMBEDDINGS = "chat/completions", "embeddings"
# Half of a character in a prompt cannot be sent, and half of one in a key neither.
_FAULTS = (EndpointRefused, HttpFault, UnicodeEncodeError)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class HttpModelEndpoint:
    """Implements the SDK's `ModelEndpoint`. Nothing of the key is in its text, nor in what it raises."""

    __slots__ = ("_base", "_client", "_key", "_memory", "_timeout_seconds", "_trace", "executor", "model")

    def __init__(
        self,
        client: Callable[[], HttpClient],
        url: str,
        key: str | None,
        *,
        timeout_seconds: float,
        executor: str = "",
        model: str | None = None,
        memory: QuirkMemory | None = None,
        trace: Callable[[], str | None] | None = None,
    ) -> None:
        self._trace = trace
        self._client = client
        self._base = url
        self._key = key
        self._timeout_seconds = timeout_seconds
        self._memory = memory or OwnMemory()
        self.executor = executor
        self.model = model

    async def call(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        with self._own_faults():
            async with asyncio.timeout(self._timeout_seconds):
                got = await self._open(request, _JSON)
                try:
                    answer = json_of(await _read_body(got))
                finally:
                    await got.aclose()
        if not isinstance(answer, dict):
            raise ModelUnavailable("The model's answer is not a JSON object.")
        if is_error(answer):
            raise failed(self.executor, answer, self._key)
        return answer

    async def embed(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        model = request.get("model") or self.model
        named = dict(request) if model is None else {**request, "model": model}
        with self._own_faults():
            async with asyncio.timeout(self._timeout_seconds):
                got = await self._post(named, _JSON, _EMBEDDINGS)
                try:
                    refusal = await self._refusal(got)
                    if refusal is not None:
                        raise refused(self.executor, got, refusal, self._key)
                    answer = json_of(await _read_body(got))
                finally:
                    await got.aclose()
        if not isinstance(answer, dict):
            raise ModelUnavailable("The model's answer is not a JSON object.")
        if is_error(answer):
            raise failed(self.executor, answer, self._key)
        return answer

    async def stream(self, request: Mapping[str, Any]) -> AsyncGenerator[Mapping[str, Any], None]:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + MAX_STREAM_SECONDS
        with self._own_faults():
            async with asyncio.timeout(self._timeout_seconds):
                got = await self._open({**request, "stream": True}, _STREAM)
        limit, lines, progress = WaitLimit(), EventLines(), _Progress()
        try:
            if not _streams(got):
                yield await self._whole_as_chunk(got)
                return
            async with aclosing(got.chunks()) as received:
                while True:
                    # Of the wait alone: what the caller does with a chunk is not the model's time.
                    data = await self._receive(limit, received, progress, deadline - loop.time())
                    found = lines.finish() if data is None else _add_lines(lines, data)
                    for number, one in enumerate(found, 1):
                        if one == _DONE:
                            progress.check_begun()
                            await _read_to_end(limit, received)
                            return
                        yield self._chunk(one, progress)
                        if number % _CHUNKS_AT_ONCE == 0:
                            await asyncio.sleep(0)  # thousands of chunks may come at once
                    if data is None:
                        break
            if not progress.finished:
                raise ModelUnavailable("The model's stream broke off.", retry=True)
        finally:
            limit.close()
            await got.aclose()

    async def _receive(
        self, limit: WaitLimit, received: AsyncGenerator[bytes, None], progress: "_Progress", left: float
    ) -> bytes | None:
        """Returns the next bytes, None at the end; after a finish reason, nothing more has to come."""
        if progress.finished:
            left = min(left, progress.last_word_until - asyncio.get_running_loop().time())
        patience = min(self._timeout_seconds, left)
        try:
            return await limit.wait(anext(received, None), patience)
        except TimeoutError:
            failure: Exception = self._too_late()
        except _FAULTS as fault:
            failure = self._fault(fault)
        if progress.finished:
            return None
        raise failure

    def _chunk(self, data: bytes, progress: "_Progress") -> Mapping[str, Any]:
        chunk = chunk_of(data)
        if not isinstance(chunk, dict):
            raise ModelUnavailable("The model's stream holds something that is not JSON.")
        if is_error(chunk):
            raise failed(self.executor, chunk, self._key)
        progress.add(chunk)
        return chunk

    async def _whole_as_chunk(self, got: HttpAnswer) -> Mapping[str, Any]:
        """Returns the answer of an endpoint that does not stream, as the one chunk of a stream."""
        with self._own_faults():
            async with asyncio.timeout(self._timeout_seconds):
                answer = json_of(await _read_body(got))
        if isinstance(answer, dict) and is_error(answer):
            raise failed(self.executor, answer, self._key)
        chunk = _chunk_of_whole(answer)
        if chunk is None:
            raise ModelUnavailable("The model's endpoint does not stream.")
        return chunk

    async def _open(self, request: Mapping[str, Any], accept: str) -> HttpAnswer:
        """Returns the answer that begins once the request is one that the endpoint takes, to be closed."""
        model = request.get("model") or self.model
        # What is known is known of the model that the executor has.
        memory = self._memory if self.model in (None, model) else OwnMemory()
        named = {**request, "model": model}
        if model is None:
            del named["model"]
        negotiation = Negotiation(named, memory.quirks)
        without_limit: ModelUnavailable | ModelBusy | None = None
        while True:
            got = await self._post(negotiation.sent, accept)
            try:
                body = await self._refusal(got)
                if body is None:
                    if negotiation.found or negotiation.gone:
                        await memory.learn(negotiation.found, negotiation.gone)
                    return got
            except BaseException:
                await got.aclose()
                raise
            await got.aclose()
            failure = refused(self.executor, got, body, self._key)
            given_up = negotiation.give_up(got.status, body)
            if given_up is None:
                raise without_limit if negotiation.in_vain and without_limit else failure
            if given_up in TOKEN_LIMITS:
                without_limit = failure

    async def _post(self, sent: Mapping[str, Any], accept: str, path: str = _CHAT) -> HttpAnswer:
        # Compressed, a small answer could unfold to any size.
        headers = {
            "Accept": accept,
            "Accept-Encoding": "identity",
            "Content-Type": _JSON,
            **authorization(self._key),
        }
        if self._trace is not None and (traceparent := self._trace()) is not None:
            headers["traceparent"] = traceparent
        url = f"{self._base}/{path}"
        return await self._client().send("POST", url, headers, _ENCODER.encode(sent).encode())

    async def _refusal(self, got: HttpAnswer) -> bytes | None:
        """Returns what the endpoint answers in place of an answer; None where one begins."""
        if (got.header("content-encoding") or "identity").lower() != "identity":
            raise ModelUnavailable("The model's endpoint compresses its answers though asked not to.")
        if got.status == 200:
            return None
        return b"" if 300 <= got.status < 400 else await _read_body(got)

    def _too_late(self) -> ExecutorTimeout:
        return ExecutorTimeout(f"The model did not answer within {self._timeout_seconds:g} s.")

    @contextmanager
    def _own_faults(self) -> Iterator[None]:
        """Raises what plugins know in place of a library's errors, whose words may quote the key."""
        try:
            yield
        except TimeoutError:
            raise self._too_late() from None
        except _FAULTS as fault:
            raise self._fault(fault) from None

    def _fault(self, fault: Exception) -> Exception:
        if isinstance(fault, EndpointRefused):
            return EndpointRefused(fault.detail)
        if isinstance(fault, HttpTimeout):
            return self._too_late()
        return ModelUnavailable("The model's endpoint cannot be reached.", retry=True)


class _Progress:
    """How far a stream has come."""

    __slots__ = ("_begun", "_blank", "finished", "last_word_until")

    def __init__(self) -> None:
        self._begun = False
        self._blank = 0
        self.finished = False
        self.last_word_until = 0.0

    def add(self, chunk: Mapping[str, Any]) -> None:
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return
        self._begun = True
        if choice.get("finish_reason") and not self.finished:
            self.finished = True
            # Of all that follows: comments and empty chunks could go on for ever.
            self.last_word_until = asyncio.get_running_loop().time() + _LAST_WORD_SECONDS
        delta = choice.get("delta")
        content = delta.get("content") if isinstance(delta, dict) else None
        if not content or not isinstance(content, str):
            return
        self._blank = self._blank + len(content) if content.isspace() else 0
        if self._blank > MAX_BLANK_CHARACTERS:
            raise ModelUnavailable("The model writes nothing but white space.")

    def check_begun(self) -> None:
        if not self._begun:
            raise ModelUnavailable("The model's stream ended before it began.", retry=True)


def authorization(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Authorization": f"Bearer {key}"}


async def _read_to_end(limit: WaitLimit, received: AsyncGenerator[bytes, None]) -> None:
    """Takes the end of an answer that has had its last word: its connection can then be used again."""
    with suppress(TimeoutError, *_FAULTS):
        for _ in range(_READS_AFTER_DONE):
            if await limit.wait(anext(received, None), _END_SECONDS) is None:
                return


async def _read_body(got: HttpAnswer) -> bytes:
    body = bytearray()
    async for chunk in got.chunks():
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            raise ModelUnavailable(f"The model's answer is larger than {MAX_ANSWER_BYTES >> 20} MiB.")
    return bytes(body)


def _add_lines(lines: EventLines, data: bytes) -> list[bytes]:
    try:
        return lines.add(data)
    except StreamTooLarge:
        raise ModelUnavailable("The model's stream is too large.") from None


def _streams(got: HttpAnswer) -> bool:
    """Returns whether an answer is a stream: all are that do not say that they are something else."""
    kind = got.header("content-type").lower()
    return not kind.startswith((_JSON, "text/html"))


def _chunk_of_whole(answer: Any) -> Mapping[str, Any] | None:
    choices = answer.get("choices") if isinstance(answer, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        return None
    delta = dict(message)
    if isinstance(calls := message.get("tool_calls"), list):
        numbered = enumerate(call for call in calls if isinstance(call, Mapping))
        delta["tool_calls"] = [{**call, "index": index} for index, call in numbered]
    reason = choice.get("finish_reason") or "stop"
    return {**answer, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
