"""The simulated model: deterministic, honest about being simulated, good enough to use every feature."""

from builtin_plugins.ai.tokens import estimated_prompt, estimated_tokens
from guildhall_sdk.completions import Completion
from guildhall_sdk.services import ModelTurn, TokenUsage

SIMULATED = "simulated"


def simulate(turn: ModelTurn) -> Completion:
    """Answers a turn from what stands in it."""
    last = next((m["content"] for m in reversed(turn.messages) if m.get("role") == "user"), "")
    text = f"(simulated) {last if isinstance(last, str) else ''}"
    usage = TokenUsage(estimated_prompt(turn), estimated_tokens(text))
    return Completion(text=text, finish_reason="stop", usage=usage)
