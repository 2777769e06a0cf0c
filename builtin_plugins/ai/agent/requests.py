"""What an agent is asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from guildhall_sdk.services.models import DEFAULT_MAX_TOKENS

DEFAULT_MAX_STEPS = 8
MAX_MAX_STEPS = 32
MAX_NAMED_TOOLS = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRequest:
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

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> "AgentRequest":
        """Reads a body that the row's schema let through; fields of other readers are passed over."""
        names = ("prompt", "tools", "max_steps", "system", "executor", "max_tokens", "history")
        return cls(**{name: body[name] for name in names if name in body})
