"""Values against JSON Schema: by schemas that plugins declare, and by such as somebody sends."""

from collections.abc import Generator, Sequence
from typing import Any, Protocol

from guildhall_sdk.schema import Schema


class Validator(Protocol):
    """One schema that a plugin declares, prepared when it is first used."""

    def check(self, value: Any) -> None:
        """Raises `InvalidRequest` with all problems of the value, each with its JSON pointer."""
        ...

    def check_in_steps(self, value: Any) -> Generator[None, None, None]:
        """Checks like `check`, by a schema without references; yields where others may have their turn."""
        ...


class Validators(Protocol):
    """Makes validators of JSON Schema 2020-12, such as the bodies of requests are checked by."""

    def validator(self, schema: Schema) -> Validator:
        """Returns the validator of a schema, which costs nothing yet."""
        ...


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
