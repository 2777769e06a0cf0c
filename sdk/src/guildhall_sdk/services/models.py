"""Models: a turn with whichever one an executor or a role names, metered where it happens; executors."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypedDict, Unpack

from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.errors import BadGateway, GatewayTimeout, RetryLater
from guildhall_sdk.ids import rfc3339_or_none
from guildhall_sdk.principal import Principal

ExecutorMode = Literal["local", "push", "pull"]

EXECUTOR_NAME_MAX = 64
DEFAULT_MAX_TOKENS = 1024
MAX_MAX_TOKENS = 131_072
ModelRole = Literal["utility", "embedding"]
MODEL_ROLES: tuple[ModelRole, ...] = ("utility", "embedding")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTurn:
    """What a model is asked.

    `messages`, `tools` and `response_format` are laid out as chat completions have them: a tool is
    `{"type": "function", "function": {name, description, parameters}}`. `model` is asked for in place of the
    executor's own. `options` are further members of the request, such as `top_p`, for a called server.
    """

    messages: Sequence[Mapping[str, Any]]
    response_format: Mapping[str, Any] | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    max_tokens: int = DEFAULT_MAX_TOKENS
    temperature: float | None = None
    model: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """How many tokens went in and came out; `estimated` where the endpoint did not count them."""

    prompt: int
    completion: int
    estimated: bool = False

    @property
    def total(self) -> int:
        return self.prompt + self.completion

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(
            self.prompt + other.prompt, self.completion + other.completion, self.estimated or other.estimated
        )

    def public(self) -> dict[str, Any]:
        """Returns the usage as the API shows it."""
        fields: dict[str, Any] = {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.completion,
            "total_tokens": self.total,
        }
        return fields | {"estimated": True} if self.estimated else fields


NO_TOKENS = TokenUsage(0, 0)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants to be called; `arguments` is JSON as the model wrote it, good or bad."""

    id: str
    name: str
    arguments: str

    def message(self) -> dict[str, Any]:
        """Returns the call as it is repeated to the model in its own message."""
        function = {"name": self.name, "arguments": self.arguments}
        return {"id": self.id, "type": "function", "function": function}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What a model answered.

    With a `response_format` that wants JSON, either `parsed` holds the value that fits it, or `schema_error`
    says why the answer does not (of a stream alone: `ask` raises instead). `repaired` says that it took a
    second turn. `reasoning` is what the model said to itself.
    """

    text: str
    model: str
    executor: str
    simulated: bool
    finish_reason: str
    usage: TokenUsage
    tool_calls: Sequence[ToolCall] = ()
    parsed: Any = None
    schema_error: str | None = None
    repaired: bool = False
    reasoning: str = ""


class ModelDelta(NamedTuple):
    """A piece of the answer, as it comes."""

    text: str


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model that a turn would reach: `executor` by name, `simulated` where none is configured.

    `company` says that the executor is a company's own.
    """

    executor: str
    executor_id: str
    mode: ExecutorMode
    model: str
    simulated: bool
    company: bool = False


class Embedded(NamedTuple):
    """A vector for each text, all of one length, as a model gave them."""

    vectors: Sequence[Sequence[float]]
    model: str
    executor: str
    usage: TokenUsage


class ModelFormat(BadGateway, code="model_format", title="The model did not keep to the format"):
    """The model did not honour `response_format`, not even when asked once more."""


class NamedModel(TypedDict, total=False):
    """The keyword arguments that name a model: by its executor, or by its role."""

    executor: str | None
    role: ModelRole | None


class TurnOptions(NamedModel, total=False):
    """The keyword arguments of a turn, beside those that name the model."""

    #: The id of the job that waits for it, where there is one.
    within: str | None
    #: Awaited before the model is called, and again before a repair; what it raises ends the turn.
    before_turn: Callable[[], Awaitable[None]] | None


class Models(Protocol):
    """Turns with models, by executor or role; without either, the local executor.

    A turn is metered once, where it is made: `ai.requests`, `ai.tokens.total` and `ai.concurrency` of the
    principal's team are reserved before the model is called and settled after. Not for use inside a scope.
    """

    async def choose(self, reader: Reader, principal: Principal, **by: Unpack[NamedModel]) -> ModelChoice:
        """Names the model that a turn would reach now; calls nobody.

        A role goes by the team's choice, then the instance's, then the local executor, but for `embedding`:
        where nobody chose one for it, it is nobody's. Raises `UserError` `unknown_executor`.
        """

    async def ask(self, principal: Principal, turn: ModelTurn, **options: Unpack[TurnOptions]) -> ModelReply:
        """Runs one turn.

        Raises `InvalidRequest` for a `response_format` that cannot be judged, `ModelFormat`,
        `ModelUnavailable`, `ModelBusy`, `ExecutorTimeout`, `TooManyRequests`, and `UserError`
        `unknown_executor`.
        """

    def stream(
        self, principal: Principal, turn: ModelTurn, **options: Unpack[TurnOptions]
    ) -> AsyncGenerator[ModelDelta | ModelReply, None]:
        """Runs one turn piece by piece; the last thing it gives is the whole reply.

        Close it (`contextlib.aclosing`) to hang up: what was produced until then is metered. Raises what
        `ask` raises, but never `ModelFormat`: the reply then carries `schema_error`.
        """

    async def embed(
        self,
        principal: Principal,
        texts: Sequence[str],
        *,
        executor: str | None = None,
        stored: Callable[[Writer, Embedded], Awaitable[None]] | None = None,
    ) -> Embedded:
        """Returns the vectors of texts, by an executor or the one that has the role `embedding`.

        It is metered as a turn is. `stored` runs in the transaction that settles it: what was made of the
        vectors and what they cost are both in the database, or neither.

        Raises what `ask` raises; `ModelUnavailable` too for vectors that cannot be used.
        """


class Health(NamedTuple):
    """The last check of an executor; `checked_at` None is never."""

    status: Literal["ok", "down", "unknown"]
    checked_at: int | None
    detail: str | None

    def public(self) -> dict[str, Any]:
        """Returns the health as the API shows it."""
        checked_at = rfc3339_or_none(self.checked_at)
        return {"status": self.status, "checked_at": checked_at, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Executor:
    """One executor. `org_id` None is for every company's teams. Its key is not here and never shown.

    `quirks` names what its endpoint was found not to take; a request is fitted to it where it is sent.
    """

    id: str
    name: str
    mode: ExecutorMode
    model: str | None
    url: str | None
    capabilities: Sequence[str]
    org_id: str | None
    source: Literal["local", "env", "api"]
    health: Health
    quirks: Sequence[str] = ()


class ModelUnavailable(BadGateway, code="model_unavailable", title="The model cannot be used"):
    """Raised when a model's endpoint failed, with its status, if any, and whether another try may help.

    `reason` is what the endpoint said, for whoever manages it: the detail, for everybody, holds none of it
    that could be the operator's affair.
    """

    def __init__(
        self,
        detail: str,
        *,
        upstream_status: int | None = None,
        retry: bool = False,
        reason: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.upstream_status = upstream_status
        self.retry = retry
        self.reason = reason


class ModelBusy(RetryLater, status=503, code="model_busy", title="The model is asked too much at the moment"):
    """Raised when a model's endpoint says that it is asked too much, and when to ask it again."""

    def __init__(self, seconds: int) -> None:
        seconds = min(3600, max(1, seconds))  # nobody is told to wait for longer than an hour
        detail = f"The model is asked too much at the moment; try again in {seconds} s."
        super().__init__(detail, headers={"Retry-After": str(seconds)})


class ExecutorTimeout(GatewayTimeout, code="executor_timeout", title="The model did not answer in time"):
    """Raised when a model did not answer in time."""


class ModelEndpoint(Protocol):
    """A model to call, in the wire format of chat completions. Its address and its key stay inside.

    What its server refuses of `max_tokens`, `temperature`, `stream_options` and `response_format` is sent
    otherwise, or left out: a caller asks for what it wants, and judges what comes. Not inside a scope.
    """

    #: The name of the executor.
    executor: str
    #: The model that is asked for where a request names none.
    model: str | None

    async def call(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Sends a request of chat completions, and returns the answer as the endpoint gave it.

        Raises `ModelUnavailable`, `ModelBusy`, `ExecutorTimeout`, or `UserError` `endpoint_refused` for a
        company's endpoint that is not on the public internet any more.
        """

    async def embed(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Sends a request of embeddings; returns and raises what `call` does."""

    def stream(self, request: Mapping[str, Any]) -> AsyncGenerator[Mapping[str, Any], None]:
        """Yields the chunks of a streamed answer as they come.

        A server that does not stream gives one chunk. `contextlib.aclosing` hangs up before the end.
        """


class Executors(Protocol):
    """The local executor, those of the environment and those made over the API."""

    #: The seconds that a turn may wait for an executor: `SERVICE_EXECUTOR_TIMEOUT`.
    timeout_seconds: float

    async def named(self, reader: Reader, org_id: str, name: str) -> Executor | None:
        """Returns an executor that is offered to a company; its own goes before one for everybody."""

    async def endpoint(
        self, reader: Reader, org_id: str, executor: Executor | str | None = None
    ) -> ModelEndpoint | None:
        """Returns the endpoint of an executor that a company may use, by id or name, or the instance's own.

        One that `named` gave within the same scope is not looked up again.
        Returns None where there is no address to call: an executor that pulls, whose turns are jobs, and the
        local one without `SERVICE_MODEL_URL`. Raises `UserError` `unknown_executor`.
        """


#: The model that is there without set-up.
DEFAULT_MODEL = "default"


class MemberModel(NamedTuple):
    """A model that somebody may use.

    `executor` runs it, None is the hall's own; `model` is asked for there, None is the executor's. `roles`
    are what it is good for: `chat`, and the model roles that it has. `price` is `{currency,
    input_per_million, output_per_million}`.
    """

    name: str
    label: str
    description: str = ""
    executor: str | None = None
    model: str | None = None
    roles: Sequence[str] = ("chat",)
    price: Mapping[str, Any] | None = None


class MemberModels(Protocol):
    """The models that an instance and its companies name for their people. Its plugin may be absent."""

    async def usable(self, reader: Reader, principal: Principal) -> Sequence[MemberModel]:
        """Returns those that somebody may use, by name."""

    async def named(self, reader: Reader, principal: Principal, name: str) -> MemberModel:
        """Returns one that somebody may use; raises `NotFound` `unknown_model` for any other."""
