"""Models: a turn with whichever model an executor or a role names, metered where it happens."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from guildhall_sdk.data import Reader
from guildhall_sdk.errors import BadGateway
from guildhall_sdk.principal import Principal
from guildhall_sdk.services.executors import ExecutorMode

DEFAULT_MAX_TOKENS = 1024
MAX_MAX_TOKENS = 131_072
ModelRole = Literal["utility"]
MODEL_ROLES: tuple[ModelRole, ...] = ("utility",)
BeforeTurn = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTurn:
    """What a model is asked.

    `messages`, `tools` and `response_format` are laid out as chat completions have them: a tool is
    `{"type": "function", "function": {name, description, parameters}}`.
    """

    messages: Sequence[Mapping[str, Any]]
    response_format: Mapping[str, Any] | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    max_tokens: int = DEFAULT_MAX_TOKENS
    temperature: float | None = None


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
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.estimated or other.estimated,
        )

    def public(self) -> dict[str, Any]:
        """The usage as the API shows it."""
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
        """The call as it is repeated to the model in its own message."""
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


@dataclass(frozen=True, slots=True)
class ModelDelta:
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


class ModelFormat(BadGateway):
    """The model did not honour `response_format`, not even when asked once more."""

    code = "model_format"
    title = "The model did not keep to the format"


class Models(Protocol):
    """Turns with models, by executor or role; without either, the local executor.

    A turn is metered once, where it is made: `ai.requests`, `ai.tokens.total` and `ai.concurrency` of the
    principal's team are reserved before the model is called and settled after. Not for use inside a scope.
    """

    async def choose(
        self,
        reader: Reader,
        principal: Principal,
        *,
        executor: str | None = None,
        role: ModelRole | None = None,
    ) -> ModelChoice:
        """Names the model that a turn would reach now; calls nobody.

        A role goes by the team's choice, then the instance's, then the local executor. Raises `UserError`
        `unknown_executor`.
        """

    async def ask(
        self,
        principal: Principal,
        turn: ModelTurn,
        *,
        executor: str | None = None,
        role: ModelRole | None = None,
        within: str | None = None,
        before_turn: BeforeTurn | None = None,
    ) -> ModelReply:
        """Runs one turn. `within` is the id of the job that waits for it, where there is one.

        `before_turn` is awaited before the model is called, and again before an answer that does not fit
        is repaired; what it raises ends the turn.

        Raises `InvalidRequest` for a `response_format` that cannot be judged, `ModelFormat`,
        `ModelUnavailable`, `ModelBusy`, `ExecutorTimeout`, `TooManyRequests`, and `UserError`
        `unknown_executor`.
        """

    def stream(
        self,
        principal: Principal,
        turn: ModelTurn,
        *,
        executor: str | None = None,
        role: ModelRole | None = None,
        within: str | None = None,
        before_turn: BeforeTurn | None = None,
    ) -> AsyncGenerator[ModelDelta | ModelReply, None]:
        """Runs one turn piece by piece; the last thing it gives is the whole reply.

        Close it (`contextlib.aclosing`) to hang up: what was produced until then is metered. Raises what
        `ask` raises, but never `ModelFormat`: the reply then carries `schema_error`.
        """
