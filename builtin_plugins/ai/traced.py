"""Turns with models as spans, where requests are traced."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from builtin_plugins.ai.sources import Opened, TurnSource, Vectors
from guildhall_sdk.services.models import ModelChoice, ModelTurn
from guildhall_sdk.services.server import Tracing
from libs.model_wire import Completion


def traced(tracing: Tracing, opened: Opened) -> Opened:
    """Returns the model with each of its calls in a span."""
    return opened._replace(source=_Traced(tracing, opened))


class _Traced:
    """Never tells what is asked or answered: the model, its executor, and how much it was."""

    def __init__(self, tracing: Tracing, opened: Opened) -> None:
        self._tracing = tracing
        self._source: TurnSource = opened.source
        choice: ModelChoice = opened.choice
        self._name = f"model {choice.model}"
        self._attributes = {"gen_ai.request.model": choice.model, "guildhall.executor": choice.executor}

    async def call(self, turn: ModelTurn) -> Completion:
        with self._tracing.span(self._name, attributes=self._attributes):
            completion = await self._source.call(turn)
            self._note(completion)
            return completion

    async def stream(self, turn: ModelTurn) -> AsyncGenerator[str | Completion, None]:
        with self._tracing.span(self._name, attributes=self._attributes):
            async with aclosing(self._source.stream(turn)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Completion):
                        self._note(piece)
                    yield piece

    async def embed(self, texts: Sequence[str]) -> Vectors:
        with self._tracing.span(self._name, attributes=self._attributes | {"guildhall.texts": len(texts)}):
            return await self._source.embed(texts)

    def _note(self, completion: Completion) -> None:
        if completion.usage is not None:
            used = completion.usage
            counts = {"gen_ai.usage.input_tokens": used.prompt, "gen_ai.usage.output_tokens": used.completion}
            self._tracing.describe(self._name, counts)
