"""What a tool gave, as the model reads it and as the step shows it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from builtin_plugins.ai.agent.results import StepError
from guildhall_sdk import Problem
from guildhall_sdk.tools import Artifact
from libs.model_wire import sound

MAX_MODEL_BYTES = 32 * 1024
_MAX_MESSAGE = 2_000
_MAX_PROBLEMS = 5


class UnfitResult(TypeError):
    """A tool gave something that is no JSON; that is the fault of whoever wrote it."""


@dataclass(frozen=True, slots=True)
class RenderedResult:
    """`text` is for the model, no longer than it should be; `size` is the bytes that `value` comes to."""

    text: str
    value: Any
    size: int
    artifact: Mapping[str, Any] | None = None
    cut: bool = False


def render_result(given: Any) -> RenderedResult:
    """Renders a result: a text as it is, an artifact in one line, anything else as JSON.

    Raises `UnfitResult`.
    """
    if isinstance(given, Artifact):
        line, artifact = " ".join(sound(given.line()).split()), _plain(given.public())
        text, cut = cut_text(line)
        return RenderedResult(text, text, len(_json(artifact)), artifact, cut)
    value = sound(given) if isinstance(given, str) else _plain(given)
    whole = value if isinstance(value, str) else _json(value)
    text, cut = cut_text(whole)
    return RenderedResult(text, value, len(whole), None, cut)


def render_error(error: StepError) -> str:
    """Renders an error for the model, as JSON so that it reads as no result."""
    return _json({"error": error.public()})


def step_error(problem: Problem) -> StepError:
    """The error of a step whose tool was refused or failed by its own word."""
    places = [f"{one['pointer'] or '/'}: {one['message']}" for one in problem.errors[:_MAX_PROBLEMS]]
    return StepError(problem.code, sound("; ".join(places) or problem.detail)[:_MAX_MESSAGE])


def cut_text(text: str) -> tuple[str, bool]:
    """The text, or its beginning with a note that there is more."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= MAX_MODEL_BYTES:
        return text, False
    beginning = encoded[:MAX_MODEL_BYTES].decode("utf-8", "ignore")
    return f"{beginning}\n[cut here: {MAX_MODEL_BYTES} of {len(encoded)} bytes]", True


def _plain(value: Any) -> Any:
    return json.loads(_json(value))


def _json(value: Any) -> str:
    try:
        return sound(json.dumps(value, ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as fault:
        raise UnfitResult(f"its result is no JSON: {type(fault).__name__}") from None
