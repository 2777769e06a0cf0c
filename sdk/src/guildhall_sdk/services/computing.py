"""Long computations beside the event loop."""

from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol, TypeVar

from guildhall_sdk.schema import Schema

Result = TypeVar("Result")


class Computing(Protocol):
    """A thread that all companies share: it takes one step at a time, in turn between holders.

    `holder` is the id of the company, or another key of one caller. However much one asks for at once,
    another waits for one step of it at most: keep a step well below 50 ms.
    """

    async def run(self, holder: str, work: Callable[..., Result], *arguments: Any) -> Result:
        """Runs `work` in one step, and returns what it returns."""

    async def run_steps(self, holder: str, steps: Generator[None, None, Result]) -> Result:
        """Runs a generator that yields where others may have their turn, and returns what it returns."""


class Sandbox(Protocol):
    """Starts programs that can compute, read their folder and talk over their standard streams.

    The plugin `oop` offers it. What holds on this machine is measured once, by a program that tries to flee.
    """

    async def tier(self) -> Literal["A", "B", "C"]:
        """Returns A or B where a program is closed off, A with its file tree hidden; C where it is not."""

    async def command(
        self, folder: Path, command: Sequence[str], *, memory_bytes: int = 512 << 20, cpu_seconds: int = 600
    ) -> Sequence[str]:
        """Returns the command that runs `command` in `folder`; it begins with an absolute path.

        Start it with an empty environment and in a session of its own. It ends with the thread that started
        it, so start it from the event loop. Raises `Unavailable` in tier C.
        """


class Templates(Protocol):
    """Mustache without partials, lambdas or files, at a bounded cost. The plugin `documents` offers it."""

    async def fill(
        self, org_id: str, template: str, data: Any, *, escape: Literal["markdown", "html"] = "markdown"
    ) -> str:
        """Returns the template filled with JSON data, computed in turn with other companies.

        `{{x}}` is escaped, `{{{x}}}` and `{{&x}}` are not. Raises `UserError` `invalid_template` or
        `output_too_large`.
        """


class Validator(Protocol):
    """One schema that a plugin declares, prepared when it is first used."""

    def check(self, value: Any) -> None:
        """Raises `InvalidRequest` with all problems of the value, each with its JSON pointer."""

    def check_in_steps(self, value: Any) -> Generator[None, None, None]:
        """Checks like `check`, by a schema without references; yields where others may have their turn."""


class Validators(Protocol):
    """Makes validators of JSON Schema 2020-12, such as the bodies of requests are checked by."""

    def validator(self, schema: Schema) -> Validator:
        """Returns the validator of a schema, which costs nothing yet."""


class AdmittedSchema(Protocol):
    """A schema that was taken; judging a value costs no more than is bounded."""

    async def problems(self, value: Any) -> Sequence[str]:
        """Says what is wrong with a value, each problem with its JSON pointer; empty where it fits."""


class JsonSchemas(Protocol):
    """Takes JSON Schema 2020-12 from strangers."""

    async def admit(self, holder: str, schema: Any, *, pointer: str = "") -> AdmittedSchema:
        """Bounds a schema in the turn of `holder`, the id of a company.

        Raises `InvalidRequest` at `pointer` for what is no schema, refers to itself or to elsewhere, or would
        cost too much to judge by.
        """


class Scratch(Protocol):
    """Files without a name below the data folder: they are gone with their process, however it ends."""

    def open(self) -> BinaryIO:
        """Opens an empty file to write and read. It touches the disk: call it off the event loop."""
