"""JSON-RPC 2.0: what a message is, what answers it, and how it is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from guildhall_sdk import InvalidRequest, Problem, UserError

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
        """A problem's status is its code here: JSON-RPC leaves every positive number to the application."""
        mistaken = isinstance(problem, InvalidRequest | UserError)
        status = problem.status if problem.status == 402 else 200
        code = INVALID_PARAMS if mistaken else problem.status
        return cls(code, problem.detail, data=described(problem), status=status)


def described(problem: Problem) -> dict[str, Any]:
    """What is said of a problem beside its message."""
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
    """The id of what may be no message at all."""
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def refusal(message_id: RequestId | None, error: RpcError) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message_id, "error": error.to_json()}


def _invalid(why: str) -> RpcError:
    return RpcError(INVALID_REQUEST, f"Invalid request: {why}", status=400)
