"""What the API says about executors."""

from typing import Literal, NotRequired, TypedDict


class ExecutorHealth(TypedDict):
    checked_at: str | None
    detail: str | None
    status: Literal["ok", "down", "unknown"]


class ExecutorQuirks(TypedDict):
    max_completion_tokens: NotRequired[bool]
    no_json_object: NotRequired[bool]
    no_json_schema: NotRequired[bool]
    no_stream_options: NotRequired[bool]
    no_temperature: NotRequired[bool]


class Executor(TypedDict):
    capabilities: list[str]
    health: ExecutorHealth
    id: str
    mode: Literal["local", "push", "pull"]
    model: str | None
    name: str
    org_id: str | None
    #: What its endpoint was found not to take; who may see url sees this
    quirks: NotRequired[ExecutorQuirks]
    source: Literal["local", "env", "api"]
    #: For operators, and for who manages the company that it is bound to
    url: NotRequired[str]


class ExecutorPage(TypedDict):
    items: list[Executor]
    next_cursor: str | None


class CreatedExecutor(TypedDict):
    capabilities: list[str]
    health: ExecutorHealth
    id: str
    mode: Literal["local", "push", "pull"]
    model: str | None
    name: str
    org_id: str | None
    #: What its endpoint was found not to take; who may see url sees this
    quirks: NotRequired[ExecutorQuirks]
    source: Literal["local", "env", "api"]
    #: For operators, and for who manages the company that it is bound to
    url: NotRequired[str]
    #: Of one that pulls; shown here and never again
    worker_token: NotRequired[str]
    #: Of one that was made with an API token that ends
    worker_token_expires_at: NotRequired[str]


class ExecutorProbeReplyTurn(TypedDict):
    detail: str | None
    ok: bool


class ExecutorProbeReply(TypedDict):
    health: ExecutorHealth
    #: What its endpoint was found not to take; who may see url sees this
    quirks: ExecutorQuirks
    turn: ExecutorProbeReplyTurn | None


__all__ = [
    "CreatedExecutor",
    "Executor",
    "ExecutorHealth",
    "ExecutorPage",
    "ExecutorProbeReply",
    "ExecutorProbeReplyTurn",
    "ExecutorQuirks",
]
