"""Tools that an agent or a workflow step may call, and calls of them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, Protocol

from guildhall_sdk.context import Host
from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.errors import Problem
from guildhall_sdk.principal import Principal
from guildhall_sdk.schema import Schema, obj


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool; required unless marked optional."""

    name: str
    type: Literal["string", "number", "integer", "boolean", "object", "array"]
    description: str = ""
    _: KW_ONLY
    optional: bool = False
    enum: Sequence[str] = ()
    items: "Literal['string', 'number', 'integer', 'boolean'] | Sequence[Parameter] | None" = None

    def schema(self) -> dict[str, Any]:
        """Returns the JSON Schema of the argument."""
        shape: dict[str, Any] = {"type": self.type}
        if self.description:
            shape["description"] = self.description
        if self.enum:
            shape["enum"] = list(self.enum)
        if isinstance(self.items, str):
            shape["items"] = {"type": self.items}
        elif self.items is not None:
            shape["items"] = object_schema(self.items)
        return shape


def object_schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Returns the JSON Schema of an object with these parameters, and no others."""
    required = [parameter.name for parameter in parameters if not parameter.optional]
    return dict(obj({parameter.name: parameter.schema() for parameter in parameters}, required=required))


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call. The handler takes (connection, principal, arguments).

    A tool that does more than read has a `hosted` one instead. That takes (host, principal, arguments), opens
    scopes of its own, and is never called inside a write scope. For a team that has `feature` off the tool is
    not there. `schema` describes the arguments as raw JSON Schema, instead of `parameters`. The model is
    shown all of it; what is checked here leaves out regular expressions and what refers to itself. In a
    conversation a tool that `writes` waits until the person confirms it: one with `hosted` does unless told.
    `preview` takes what `hosted` does, changes nothing, and returns what a call would.
    """

    name: str
    description: str
    permission: str
    handler: Callable[[Reader, Principal, Mapping[str, Any]], Awaitable[Any]] | None = None
    _: KW_ONLY
    parameters: Sequence[Parameter] = ()
    enabled_by_default: bool = True
    hosted: Callable[[Host, Principal, Mapping[str, Any]], Awaitable[Any]] | None = None
    feature: str | None = None
    schema: Schema | None = None
    writes: bool | None = None
    preview: Callable[[Host, Principal, Mapping[str, Any]], Awaitable[Any]] | None = None

    def function_schema(self) -> dict[str, Any]:
        """Returns the declaration as a model's function-calling interface takes it."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": object_schema(self.parameters) if self.schema is None else self.schema,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSource:
    """A source of tools that come and go while the server runs, such as those of another server.

    Each is a `Tool` with a `hosted` function, whose name begins with the source's and `_`. They are off for
    every team until it turns them on. A tool that cannot be taken is left out alone; the log says why.
    """

    #: What the names of its tools begin with.
    name: str
    #: Those that there are now, within ten seconds; called again after `Tools.refresh`, in every process.
    tools: Callable[[Host], Awaitable[Sequence[Tool]]]
    #: How many of them are taken at most; the others are left out.
    max_tools: int = 500
    #: Says why a tool of this name is not among `tools` now: `ToolNotReady` or `ToolNeedsApproval`, say,
    #: which is raised for whoever calls it; None for a tool that the source does not know.
    missing: Callable[[Host, str], Problem | None] | None = None


@dataclass(frozen=True, slots=True)
class Artifact:
    """A result for three readers: a line for the model, a card for the console, data for a workflow."""

    kind: Literal["document", "table", "text", "link", "image"]
    title: str
    summary: str = ""
    _: KW_ONLY
    content_type: str | None = None
    object_id: str | None = None
    version_id: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def line(self) -> str:
        """Returns the line that the model reads."""
        return f"[{self.kind}] {self.title}" + (f": {self.summary}" if self.summary else "")

    def public(self) -> dict[str, Any]:
        """Returns the artifact as the API shows it: its fields, and what it carries beside them."""
        names = ("kind", "title", "summary", "content_type", "object_id", "version_id")
        named = {name: value for name in names if (value := getattr(self, name)) is not None}
        return {**self.extra, **named}


class AdmittedTool(Protocol):
    """A tool that may run as its caller with these arguments."""

    async def run(self) -> Any:
        """Runs the tool outside every scope of the database: a tool may wait for long, and opens its own."""

    async def preview(self) -> tuple[Literal["ran", "previewed", "not_run"], Any]:
        """Changes nothing: runs what only reads, has another tool say what it would give, or does nothing."""


class OpenTool(Protocol):
    """A tool that its caller may call, with whichever arguments are valid."""

    async def admit(self, arguments: Mapping[str, Any]) -> AdmittedTool:
        """Checks the arguments of one call; raises `InvalidRequest`."""


class Tools(Protocol):
    """The tools that teams turn on and off, and calls of them."""

    async def listing(self, reader: Reader, team_id: str) -> Sequence[dict[str, Any]]:
        """Returns every tool of the team, as the API shows it."""

    async def set(self, writer: Writer, team_id: str, name: str, enabled: bool) -> None:
        """Turns a tool on or off; raises `NotFound` for one that nobody declared."""

    async def admit(
        self, reader: Reader, principal: Principal, name: str, arguments: Mapping[str, Any]
    ) -> AdmittedTool:
        """Checks a call: the tool is known, on for the team and permitted, and the arguments are valid.

        One that comes and goes may be gone when it is run: then `run` raises what `missing` returns.
        """

    def missing(self, name: str) -> Problem:
        """Returns why there is no tool of this name now: what its source says, or that nobody knows it.

        `ToolNotReady` where its source is still starting, `ToolNeedsApproval`, `BadGateway`
        `tool_unavailable` where its source is down, else `InvalidRequest` `unknown_tool`.
        """

    async def open_to(self, reader: Reader, principal: Principal, name: str) -> OpenTool:
        """Checks what `admit` does but the arguments, once for several calls that begin together."""

    async def refresh(self, source: str) -> Mapping[str, str]:
        """Reads a `ToolSource` anew in all processes. Not inside a scope.

        Returns the names of what was not taken, each with the reason. Raises `KeyError` for a source that
        nobody declares.
        """
