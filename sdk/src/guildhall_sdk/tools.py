"""Tools: what an agent or a workflow step may call."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from guildhall_sdk.data import Reader
from guildhall_sdk.principal import Principal
from guildhall_sdk.schema import Schema

if TYPE_CHECKING:
    from guildhall_sdk.context import Host

ToolHandler = Callable[[Reader, Principal, Mapping[str, Any]], Awaitable[Any]]
HostedHandler = Callable[["Host", Principal, Mapping[str, Any]], Awaitable[Any]]
ArtifactKind = Literal["document", "table", "text", "link", "image"]


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
    return {
        "type": "object",
        "properties": {parameter.name: parameter.schema() for parameter in parameters},
        "required": [parameter.name for parameter in parameters if not parameter.optional],
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class Tool:
    """A function shown to the model. The handler takes (connection, principal, arguments).

    A tool that does more than read has a `hosted` one instead. That takes (host, principal, arguments),
    opens scopes of its own, and is never called inside a write scope. For a team that has `feature` off the
    tool is not there.
    `schema` describes the arguments as raw JSON Schema, instead of `parameters`. The model is shown all
    of it; what is checked here leaves out regular expressions and what refers to itself.
    """

    name: str
    description: str
    permission: str
    handler: ToolHandler | None = None
    _: KW_ONLY
    parameters: Sequence[Parameter] = ()
    enabled_by_default: bool = True
    hosted: HostedHandler | None = None
    feature: str | None = None
    schema: Schema | None = None

    def function_schema(self) -> dict[str, Any]:
        """The declaration as a model's function-calling interface wants it."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": object_schema(self.parameters) if self.schema is None else self.schema,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSource:
    """Tools that come and go while the server runs, such as those of another server.

    Each is a `Tool` with a `hosted` function, whose name begins with the source's and `_`. They are off for
    every team until it turns them on. A tool that cannot be taken is left out alone; the log says why.
    """

    #: What the names of its tools begin with.
    name: str
    #: Those that there are now, within ten seconds; called again after `Tools.refresh`, in every process.
    tools: "Callable[[Host], Awaitable[Sequence[Tool]]]"
    enabled_by_default: bool = False
    #: How many of them are taken at most; the others are left out.
    max_tools: int = 500


@dataclass(frozen=True, slots=True)
class Artifact:
    """A result with a face: the model reads one line, the console draws a card, a workflow keeps it all."""

    kind: ArtifactKind
    title: str
    summary: str = ""
    _: KW_ONLY
    content_type: str | None = None
    object_id: str | None = None
    version_id: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def line(self) -> str:
        return f"[{self.kind}] {self.title}" + (f": {self.summary}" if self.summary else "")
