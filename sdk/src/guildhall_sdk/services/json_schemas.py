"""JSON Schemas that somebody sends: bounded before they are used, and judged off the event loop."""

from collections.abc import Sequence
from typing import Any, Protocol


class JudgedSchema(Protocol):
    """A schema that was taken; judging a value costs no more than is bounded."""

    async def problems(self, value: Any) -> Sequence[str]:
        """Says what is wrong with a value, each problem with its JSON pointer; empty where it fits."""
        ...


class JsonSchemas(Protocol):
    """Takes JSON Schema 2020-12 from strangers."""

    async def admit(self, holder: str, schema: Any, *, pointer: str = "") -> JudgedSchema:
        """Bounds a schema in the turn of `holder`, the id of a company.

        Raises `InvalidRequest` at `pointer` for what is no schema, refers to itself or to elsewhere, or would
        cost too much to judge by.
        """
        ...
