"""A model that says what the test wants: an OpenAI-compatible endpoint on 127.0.0.1."""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from guildhall_sdk.routes import Receive, Send
from kernel.listening import bound_socket, listen
from libs.listener import Drain

MODEL_NAME = "scripted"
MODEL_KEY = "sk-the-key-of-the-scripted-model"
_STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request that the model was sent; `left` is set once its caller hung up before the end."""

    body: Mapping[str, Any]
    headers: Mapping[str, str]
    left: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class _Answer:
    text: str = ""
    tool_calls: Sequence[Mapping[str, Any]] = ()
    status: int = 200
    raw: Sequence[bytes] | None = None
    content_type: str = "application/json"
    hangs: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


class ScriptedModel:
    """Answers are given in the order they were scripted; after the last, `Scripted.` for ever."""

    def __init__(self) -> None:
        self._socket = bound_socket("127.0.0.1:0")
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        self.calls: list[ModelCall] = []
        #: Makes the vector of a text that it is asked to embed.
        self.vector: Callable[[str], Sequence[float]] = _vector
        self._script: deque[_Answer] = deque()
        self._stopping = asyncio.Event()
        drain = Drain(at_once=self._stopping)
        self._serving = asyncio.create_task(listen(self._serve, self._socket, self._stopping, drain=drain))

    def settings(self) -> dict[str, str]:
        """Returns the settings that make it an instance's own model."""
        return {
            "SERVICE_MODEL_URL": self.url,
            "SERVICE_MODEL_KEY": MODEL_KEY,
            "SERVICE_MODEL_NAME": MODEL_NAME,
        }

    def forget(self) -> None:
        """Drops the script and the calls, for the next test."""
        self.calls = []
        self.vector = _vector
        self._script.clear()

    async def close(self) -> None:
        self._stopping.set()
        await self._serving

    def say(self, text: str, *, tool_calls: Sequence[Mapping[str, Any]] = ()) -> None:
        """Scripts a reply, word by word for a caller who streams."""
        self._script.append(_Answer(text, tool_calls))

    def fail(
        self,
        status: int = 500,
        message: str = "the model is broken",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Scripts a refusal, with more headers such as `Retry-After`."""
        content = json.dumps({"error": {"message": message}}).encode()
        self._script.append(_Answer(status=status, raw=[content], headers=headers or {}))

    def send(self, *chunks: bytes, status: int = 200, content_type: str = _STREAM) -> None:
        """Scripts these bytes as they are, whatever was asked."""
        self._script.append(_Answer(status=status, raw=chunks, content_type=content_type))

    def hang(self, *chunks: bytes) -> None:
        """Scripts these bytes of a stream, and then nothing until the caller leaves."""
        self._script.append(_Answer(raw=chunks or None, content_type=_STREAM, hangs=True))

    def _unscripted(self, body: Mapping[str, Any]) -> _Answer:
        if "input" not in body:
            return _Answer("Scripted.")
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        data = [
            {"object": "embedding", "index": number, "embedding": [*self.vector(text)]}
            for number, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 7 * len(texts), "total_tokens": 7 * len(texts)}
        answer = {"object": "list", "model": body.get("model"), "data": data, "usage": usage}
        return _Answer(raw=[json.dumps(answer).encode()])

    async def _serve(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        body = b""
        while (message := await receive())["type"] == "http.request":
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        if scope["method"] == "GET":
            models = json.dumps({"object": "list", "data": [{"id": MODEL_NAME, "object": "model"}]})
            await _send_all(send, _Answer(raw=[models.encode()]))
            return
        headers = {name.decode().lower(): value.decode("latin-1") for name, value in scope["headers"]}
        call = ModelCall(json.loads(body), headers)
        self.calls.append(call)
        answer = self._script.popleft() if self._script else self._unscripted(call.body)
        if answer.hangs:
            if answer.raw:
                await _start(send, answer)
                for chunk in answer.raw:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
            while (await receive())["type"] != "http.disconnect":
                pass
            call.left.set()
        elif answer.raw is None and call.body.get("stream"):
            await _send_all(send, _Answer(raw=[*_events(answer, call.body)], content_type=_STREAM))
        elif answer.raw is None:
            await _send_all(send, _Answer(raw=[json.dumps(_completion(answer, call.body)).encode()]))
        else:
            await _send_all(send, answer)


def _vector(text: str) -> list[float]:
    """Returns a vector that says which letters a text has."""
    return [1.0 + text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"]


async def _start(send: Send, answer: _Answer) -> None:
    headers = [(b"content-type", answer.content_type.encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in answer.headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})


async def _send_all(send: Send, answer: _Answer) -> None:
    await _start(send, answer)
    for chunk in answer.raw or ():
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def _completion(answer: _Answer, request: Mapping[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.tool_calls:
        message["tool_calls"] = [dict(call) for call in answer.tool_calls]
    choice = {"index": 0, "message": message, "finish_reason": _reason(answer)}
    return {**_head("chat.completion", request), "choices": [choice], "usage": _usage(answer, request)}


def _events(answer: _Answer, request: Mapping[str, Any]) -> "list[bytes]":
    head = _head("chat.completion.chunk", request)
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": word} for word in _words(answer.text)]
    deltas += [{"tool_calls": [{"index": index, **call}]} for index, call in enumerate(answer.tool_calls)]
    chunks = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _reason(answer)}]})
    if (request.get("stream_options") or {}).get("include_usage"):
        chunks.append({**head, "choices": [], "usage": _usage(answer, request)})
    return [*(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks), b"data: [DONE]\n\n"]


def _words(text: str) -> "list[str]":
    """Splits a text into words that put together again are the text."""
    parts = text.split(" ")
    return [*(f"{part} " for part in parts[:-1]), *parts[-1:]] if text else []


def _head(kind: str, request: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-scripted",
        "object": kind,
        "created": 0,
        "model": request.get("model") or MODEL_NAME,
    }


def _reason(answer: _Answer) -> str:
    return "tool_calls" if answer.tool_calls else "stop"


def _usage(answer: _Answer, request: Mapping[str, Any]) -> dict[str, int]:
    """Counts a token for each word."""
    prompt_tokens = sum(
        len(str(message.get("content", "")).split()) for message in request.get("messages", ())
    )
    answer_tokens = len(answer.text.split())
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": answer_tokens,
        "total_tokens": prompt_tokens + answer_tokens,
    }
