"""JSON-RPC 2.0: what a message is, what answers it, and how it is refused."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from guildhall_sdk import Actor, Call, Host, InvalidRequest, Principal, Problem, Reader, UserError, Writer
from guildhall_sdk.tools import Artifact
from libs.fair_slots import BODIES
from libs.strict_json import encode_steps, encode_text

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

RequestId = str | int


class RpcError(Exception):
    """The refusal of one message; `status` is HTTP's, where it is the only message of the request."""

    def __init__(self, code: int, message: str, *, data: Any = None, status: int = 200) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.status = status

    def to_json(self) -> dict[str, Any]:
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        return error if self.data is None else {**error, "data": self.data}

    @classmethod
    def of(cls, problem: Problem) -> "RpcError":
        """Makes an error of a problem with its status as code: JSON-RPC leaves positive numbers to us."""
        mistaken = isinstance(problem, InvalidRequest | UserError)
        status = problem.status if problem.status == 402 else 200
        code = INVALID_PARAMS if mistaken else problem.status
        return cls(code, problem.detail, data=described(problem), status=status)


def described(problem: Problem) -> dict[str, Any]:
    """Returns what an error carries of a problem beside its message."""
    data = {"code": problem.code, **problem.extras}
    return {**data, "errors": [dict(error) for error in problem.errors]} if problem.errors else data


@dataclass(frozen=True, slots=True)
class Message:
    """A request, or a notification where `id` is None. `method` is empty for an answer of the client's."""

    method: str
    id: RequestId | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def meta(self) -> Mapping[str, Any]:
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}

    def result(self, result: Mapping[str, Any]) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": self.id, "result": dict(result)}


def read_message(value: Any) -> Message:
    """Raises `RpcError` for what is no message of JSON-RPC 2.0."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise _invalid('a message is a JSON object with "jsonrpc": "2.0"')
    message_id, method, params = value.get("id"), value.get("method"), value.get("params", {})
    if "id" in value and (isinstance(message_id, bool) or not isinstance(message_id, str | int)):
        raise _invalid("id is a text or an integer")
    if method is None and ("result" in value or "error" in value):
        return Message("", None)
    if not isinstance(method, str) or not method:
        raise _invalid("method is missing, or no text")
    if not isinstance(params, dict):
        raise RpcError(INVALID_PARAMS, "Invalid params: params is an object", status=400)
    return Message(method, message_id, params)


def id_in(value: Any) -> RequestId | None:
    """Returns the id of what may be no message at all."""
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def refusal(message_id: RequestId | None, error: RpcError) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message_id, "error": error.to_json()}


def _invalid(why: str) -> RpcError:
    return RpcError(INVALID_REQUEST, f"Invalid request: {why}", status=400)


MAX_SECONDS = 60.0
Service = TypeVar("Service")
Result = TypeVar("Result")


class Caller:
    """One request's caller. All messages of a batch share its time."""

    def __init__(self, call: Call) -> None:
        self._ctx = call
        self._deadline = asyncio.get_running_loop().time() + MAX_SECONDS

    @property
    def principal(self) -> Principal:
        return self._ctx.principal

    @property
    def headers(self) -> Mapping[str, str]:
        return self._ctx.headers

    @property
    def host(self) -> Host:
        return self._ctx.host

    def service(self, protocol: Callable[..., Service]) -> Service:
        return self._ctx.service(protocol)

    def read(self) -> AbstractAsyncContextManager[Reader]:
        return self._ctx.read()

    def write_unless_suspended(self) -> AbstractAsyncContextManager[Writer]:
        """Raises `PaymentRequired`, which the row itself does not: most of what it is asked only reads."""
        who = self.principal
        actor = Actor(who.username, who.user_id, who.org_id, who.team_id, self._ctx.request_id)
        return self.host.data.write(actor, within=who.org_id)

    def count_messages(self, count: int) -> None:
        """Counts the messages of a batch as the requests that they would be alone; raises 429."""
        self._ctx.count_calls(count - 1)

    def hold_bytes(self, size: int) -> None:
        """Counts the longest that answers may be before any is collected; raises 429."""
        self._ctx.hold_bytes(size)

    def settle_bytes(self, held: int, size: int) -> None:
        self._ctx.settle_bytes(held, size)

    def time_limit(self) -> asyncio.Timeout:
        return asyncio.timeout_at(self._deadline)

    async def hung_up(self) -> None:
        await self._ctx.hung_up()


MAX_CHARACTERS = 1024 * 1024
_CUT = "\n[… cut: the result is longer than {limit:,} characters]"


async def presented(org_id: str, value: Any) -> dict[str, Any]:
    """Returns the result of a call. What is no text is encoded on a thread, in steps: it may be large."""
    if isinstance(value, str):
        return {"content": [_text(value)], "isError": False}
    whole = value.public() if isinstance(value, Artifact) else value
    try:
        encoded = await BODIES.run_steps(org_id, encode_steps(whole, encode_text))
    except (TypeError, ValueError, RecursionError):
        return failure(Problem("The tool gave what is no JSON."))
    content = [_text(value.line()), *_links(value)] if isinstance(value, Artifact) else [_text(encoded)]
    result: dict[str, Any] = {"content": content, "isError": False}
    fits = isinstance(whole, Mapping) and len(encoded) <= MAX_CHARACTERS
    return {**result, "structuredContent": whole} if fits else result


def failure(problem: Problem) -> dict[str, Any]:
    """Returns a call that failed, in words that the model can act on."""
    error = {**described(problem), "message": problem.detail}
    text = f"{problem.code}: {problem.detail}"
    return {"content": [_text(text)], "structuredContent": {"error": error}, "isError": True}


def _text(text: str) -> dict[str, Any]:
    if len(text) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS] + _CUT.format(limit=MAX_CHARACTERS)
    return {"type": "text", "text": text}


def _links(artifact: Artifact) -> list[dict[str, Any]]:
    if artifact.object_id is None:
        return []
    link = {"type": "resource_link", "uri": object_uri(artifact.object_id), "name": artifact.title}
    return [{**link, "mimeType": artifact.content_type} if artifact.content_type else link]


NOTES = "guildhall://notes/"
OBJECTS = "guildhall://objects/"


def note_uri(note_id: str) -> str:
    return f"{NOTES}{note_id}"


def object_uri(object_id: str) -> str:
    return f"{OBJECTS}{object_id}"
