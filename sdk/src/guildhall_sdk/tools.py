"""Tools that an agent or a workflow step may call."""

import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, Protocol

from guildhall_sdk.data import Reader
from guildhall_sdk.errors import Problem
from guildhall_sdk.hooks import declares
from guildhall_sdk.principal import Principal
from guildhall_sdk.schema import Schema

if TYPE_CHECKING:
    from guildhall_sdk.context import Host

ToolHandler = Callable[[Reader, Principal, Mapping[str, Any]], Awaitable[Any]]
HostedHandler = Callable[["Host", Principal, Mapping[str, Any]], Awaitable[Any]]
TOOL_NAME_MAX = 64
_HEAD = 53
_NOT_IN_NAMES = re.compile(r"[^a-z0-9_]")
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
    return {
        "type": "object",
        "properties": {parameter.name: parameter.schema() for parameter in parameters},
        "required": [parameter.name for parameter in parameters if not parameter.optional],
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call. The handler takes (connection, principal, arguments).

    A tool that does more than read has a `hosted` one instead. That takes (host, principal, arguments), opens
    scopes of its own, and is never called inside a write scope. For a team that has `feature` off the tool is
    not there. `schema` describes the arguments as raw JSON Schema, instead of `parameters`. The model is
    shown all of it; what is checked here leaves out regular expressions and what refers to itself.
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
    tools: "Callable[[Host], Awaitable[Sequence[Tool]]]"
    enabled_by_default: bool = False
    #: How many of them are taken at most; the others are left out.
    max_tools: int = 500
    #: Says why a tool of this name is not among `tools` now: `ToolNotReady` or `ToolNeedsApproval`, say,
    #: which is raised for whoever calls it; None for a tool that the source does not know.
    missing: "Callable[[Host, str], Problem | None] | None" = None


@dataclass(frozen=True, slots=True)
class Artifact:
    """A result for three readers: a line for the model, a card for the console, data for a workflow."""

    kind: ArtifactKind
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
        named = {
            "kind": self.kind,
            "title": self.title,
            "summary": self.summary,
            "content_type": self.content_type,
            "object_id": self.object_id,
            "version_id": self.version_id,
        }
        return {**self.extra, **{name: value for name, value in named.items() if value is not None}}


def foreign_tool_name(source: str, origin: str, tool: str) -> str:
    """Names a tool of a `ToolSource` by where it comes from: `<source>__<origin>__<tool>` in small letters.

    Every other sign is `_`; a name that would be too long ends in a digest of the whole.
    """
    whole = f"{source}__{_plain_name(origin)}__{_plain_name(tool)}"
    if len(whole) <= TOOL_NAME_MAX:
        return whole
    return f"{whole[:_HEAD]}_{hashlib.sha256(whole.encode()).hexdigest()[:10]}"


def is_foreign_tool_of(name: str, source: str, origin: str) -> bool:
    """Tells whether `foreign_tool_name` could have given this name to a tool of this origin."""
    prefix = f"{source}__{_plain_name(origin)}__"
    return name[:_HEAD].startswith(prefix[:_HEAD])


def _plain_name(text: str) -> str:
    return _NOT_IN_NAMES.sub("_", text.lower())


class ToolHooks(Protocol):
    """The hooks of the plugin `tools`: what agents and workflows may call."""

    @declares(
        Tool,
        label="tool",
        name=attrgetter("name"),
        functions={
            "handler": ("reader", "principal", "arguments"),
            "hosted": ("host", "principal", "arguments"),
        },
    )
    def declare_tools(self) -> Sequence[Tool]:
        """Declares tools for agents and workflows, in the one registry."""

    @declares(ToolSource, label="tool source", name=attrgetter("name"), functions={"tools": ("host",)})
    def declare_tool_sources(self) -> Sequence[ToolSource]:
        """Declares sources of tools that come and go while the server runs."""
