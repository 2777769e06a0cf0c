"""Chat completions as real servers answer them, and a turn as a server and its worker exchange it."""

from libs.model_wire.answer_pieces import FunctionCall, sound
from libs.model_wire.completions import (
    Completion,
    CompletionReader,
    NotACompletion,
    TokenCounts,
    completion_of_turn,
    read_completion,
)
from libs.model_wire.embeddings import NotEmbeddings, checked_vectors, read_embeddings
from libs.model_wire.turns import MODEL_TURN, turn_fault

__all__ = [
    "MODEL_TURN",
    "Completion",
    "CompletionReader",
    "FunctionCall",
    "NotACompletion",
    "NotEmbeddings",
    "TokenCounts",
    "checked_vectors",
    "completion_of_turn",
    "read_completion",
    "read_embeddings",
    "sound",
    "turn_fault",
]
