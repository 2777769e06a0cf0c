"""Vectors as endpoints and workers give them: as many as there are texts, of one length, and of numbers."""

import base64
import binascii
import struct
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from libs.model_wire.completions import TokenCounts
from libs.model_wire.turns import is_token_count

MAX_DIMENSIONS = 8192


class NotEmbeddings(ValueError):
    """Raised for an answer that has no vectors that can be used; its text says why."""


def read_embeddings(
    answer: Mapping[str, Any], count: int
) -> tuple[Sequence[Sequence[float]], TokenCounts | None]:
    """Returns a vector for each of so many texts, and the tokens that they took, where the answer says so."""
    data = answer.get("data")
    if not isinstance(data, list) or len(data) != count:
        raise NotEmbeddings(f"it has not one vector for each of {count} texts")
    vectors: list[Sequence[float] | None] = [None] * count
    for position, item in enumerate(data):
        said = item.get("index") if isinstance(item, Mapping) else None
        index = said if isinstance(said, int) and 0 <= said < count else position
        # Some servers number none, or all with nought.
        vectors[position if vectors[index] is not None else index] = _vector(
            item.get("embedding") if isinstance(item, Mapping) else None
        )
    return checked_vectors(vectors, count), _usage(answer.get("usage"))


def checked_vectors(vectors: Sequence[Any], count: int) -> Sequence[Sequence[float]]:
    """Returns vectors of one length that are numbers; raises `NotEmbeddings`."""
    read = [_vector(vector) for vector in vectors]
    if len(read) != count:
        raise NotEmbeddings(f"it has not one vector for each of {count} texts")
    if len({len(vector) for vector in read}) > 1:
        raise NotEmbeddings("its vectors differ in length")
    return read


def _vector(given: Any) -> Sequence[float]:
    if isinstance(given, str):
        try:
            data = base64.b64decode(given, validate=True)
            given = list(struct.unpack(f"<{len(data) // 4}f", data))
        except (binascii.Error, struct.error, ValueError):
            raise NotEmbeddings("a vector is neither numbers nor base64") from None
    if not isinstance(given, Sequence) or not 0 < len(given) <= MAX_DIMENSIONS:
        raise NotEmbeddings(f"a vector is no list of 1 to {MAX_DIMENSIONS} numbers")
    if not all(type(number) in (float, int) for number in given):
        raise NotEmbeddings("a vector holds something that is not a number")
    if not all(isfinite(number) and abs(number) < 1e30 for number in given):
        raise NotEmbeddings("a vector holds a number that is none, or too large")
    return given


def _usage(usage: Any) -> TokenCounts | None:
    tokens = usage.get("prompt_tokens", usage.get("total_tokens")) if isinstance(usage, Mapping) else None
    return TokenCounts(tokens, 0) if tokens is not None and is_token_count(tokens) else None
