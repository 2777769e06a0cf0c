"""What AI use is measured in."""

from dataclasses import dataclass
from typing import Any

from guildhall_sdk import Dimension

REQUESTS, TOKENS, CONCURRENCY = "ai.requests", "ai.tokens.total", "ai.concurrency"

DIMENSIONS = (
    Dimension(REQUESTS, "Turns of a model", "rate"),
    Dimension(TOKENS, "Tokens that models read and write", "rate"),
    Dimension(CONCURRENCY, "Turns that run at the same time", "concurrency"),
)

_BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Tokens:
    """How many went in and came out."""

    prompt: int
    completion: int

    @property
    def total(self) -> int:
        return self.prompt + self.completion

    def public(self) -> dict[str, Any]:
        return {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.completion,
            "total_tokens": self.total,
        }


def estimated_tokens(text: str) -> int:
    """By length in UTF-8, where no tokenizer is at hand; never nothing."""
    return max(1, -(-len(text.encode()) // _BYTES_PER_TOKEN))
