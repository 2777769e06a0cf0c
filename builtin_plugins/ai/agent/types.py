"""What an agent is asked for, and what it did and answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from guildhall_sdk.services.models import DEFAULT_MAX_TOKENS, TokenUsage

DEFAULT_MAX_STEPS = 8
MAX_MAX_STEPS = 32
MAX_NAMED_TOOLS = 128

Stopped = Literal["max_steps", "max_tokens", "max_seconds"]


class AgentRequest(NamedTuple):
    """One run of the loop; `tools` names those to offer, None leaves the choice to the server.

    A step is a turn of the model that calls tools, however many it calls in it. `max_tokens` is of each turn.
    """

    prompt: str | Sequence[Mapping[str, Any]]
    tools: Sequence[str] | None = None
    max_steps: int = DEFAULT_MAX_STEPS
    system: str | None = None
    executor: str | None = None
    max_tokens: int = DEFAULT_MAX_TOKENS
    history: Sequence[Mapping[str, str]] = ()
    model: str | None = None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> "AgentRequest":
        """Reads a body that the row's schema let through; fields of other readers are passed over."""
        names = ("prompt", "tools", "max_steps", "system", "executor", "max_tokens", "history", "model")
        return cls(**{name: body[name] for name in names if name in body})


class StepError(NamedTuple):
    """Why a call came to nothing."""

    code: str
    message: str

    def public(self) -> dict[str, str]:
        """Returns the error as the API shows it."""
        return {"code": self.code, "message": self.message}


@dataclass(frozen=True, slots=True)
class Reading:
    """A document of the prompt is being read; nothing else has happened yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStep:
    """One tool call: what it was given, and what it gave or why not.

    `arguments` is the text that the model wrote where that is no JSON object. `cut` says that the model read
    the beginning of the result; the step has it whole, unless those before it took all the room.
    """

    tool: str
    arguments: Any
    result: Any = None
    error: StepError | None = None
    artifact: Mapping[str, Any] | None = None
    cut: bool = False

    def public(self) -> dict[str, Any]:
        """Returns the step as the API shows it."""
        fields: dict[str, Any] = {"tool": self.tool, "arguments": self.arguments}
        if self.error is not None:
            return fields | {"error": self.error.public()}
        fields["result"] = self.result
        if self.artifact is not None:
            fields["artifact"] = dict(self.artifact)
        return fields | {"cut": True} if self.cut else fields


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentResult:
    """The end of a run; `stopped` says which limit ended it, where one did."""

    reply: str
    steps: Sequence[AgentStep]
    usage: TokenUsage
    model: str
    executor: str
    simulated: bool
    stopped: Stopped | None = None
    not_offered: Sequence[str] = ()

    def public(self) -> dict[str, Any]:
        """Returns the result as the API shows it."""
        fields: dict[str, Any] = {
            "reply": self.reply,
            "steps": [step.public() for step in self.steps],
            "usage": self.usage.public(),
            "model": self.model,
            "executor": self.executor,
            "simulated": self.simulated,
        }
        if self.stopped is not None:
            fields["stopped"] = self.stopped
        if self.not_offered:
            fields["not_offered"] = list(self.not_offered)
        return fields
