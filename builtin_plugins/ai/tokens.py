"""How many tokens something comes to, where no tokenizer is at hand."""

from collections.abc import Mapping
from typing import Any

from guildhall_sdk.services.models import ModelTurn

#: Of UTF-8, in an estimate.
BYTES_PER_TOKEN = 4
# Of a picture, whose tokens nobody knows beforehand.
_PICTURE_TOKENS = 1024


def estimated_tokens(text: str) -> int:
    """By length in UTF-8, where no tokenizer is at hand; never nothing."""
    return max(1, -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN))


def estimated_prompt(turn: ModelTurn) -> int:
    """What the model is given to read: its messages and the tools that it may call."""
    total = sum(_message_tokens(message) for message in turn.messages)
    return max(1, total + sum(estimated_tokens(str(tool)) for tool in turn.tools))


def _message_tokens(message: Mapping[str, Any]) -> int:
    content = message.get("content")
    if isinstance(content, str):
        tokens = estimated_tokens(content)
    elif isinstance(content, list):
        tokens = sum(
            estimated_tokens(part["text"]) if part.get("type") == "text" else _PICTURE_TOKENS
            for part in content
        )
    else:
        tokens = 0
    calls = message.get("tool_calls")
    return tokens + (estimated_tokens(str(calls)) if calls else 0)
