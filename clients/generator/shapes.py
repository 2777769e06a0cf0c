"""The schemas of the table as types with names: what a client reads and sends.

Two schemas of the same fields are one type. It is named for what it was first met in, and stands with that
resource: what a resource gets, lists and creates is met before all else.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clients.generator.operations import Operation, singular


@dataclass(frozen=True, slots=True)
class Named:
    """A plain type by its JSON name, or one of those with fields by its own."""

    name: str


@dataclass(frozen=True, slots=True)
class Literals:
    """One of these values."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """An array."""

    of: "Type"


@dataclass(frozen=True, slots=True)
class Members:
    """An object of any names."""

    of: "Type"


@dataclass(frozen=True, slots=True)
class Either:
    """One of these."""

    types: tuple["Type", ...]


Type = Named | Literals | Items | Members | Either
ANYTHING = Named("any")
NULL = Named("null")
PERMISSION = "Permission"
_TELLING = 5
_PLAIN = ("string", "integer", "number", "boolean", "null")


@dataclass(frozen=True, slots=True)
class Field:
    """A member of an object."""

    name: str
    type: Type
    required: bool
    doc: str


@dataclass(frozen=True, slots=True)
class Shape:
    """An object with known fields; `sent` tells whether a caller writes it."""

    name: str
    resource: str
    fields: Sequence[Field]
    sent: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """What an operation takes in its body, and what it returns; None is nothing."""

    fields: Sequence[Field]
    #: The whole body, where it is no object with fields.
    body: Type | None
    reply: Type | None
    #: What each page holds, of a list.
    item: Type | None = None


@dataclass(slots=True)
class Shapes:
    """All types of a table, named as they are met."""

    operations: Sequence[Operation]
    by_name: dict[str, Shape] = field(default_factory=dict)
    signatures: dict[tuple[str, str], Signature] = field(default_factory=dict)
    _known: dict[str, str] = field(default_factory=dict)
    _resource: str = ""
    _sent: bool = False
    _listed: bool = False

    def __post_init__(self) -> None:
        for operation in sorted(self.operations, key=_turn):
            self._resource = operation.resource
            self.signatures[operation.resource, operation.name] = self._signature(operation)

    def of(self, operation: Operation) -> Signature:
        """Returns what the operation takes and returns."""
        return self.signatures[operation.resource, operation.name]

    def query_type(self, schema: Mapping[str, Any]) -> Type:
        """Returns the type of a word of a query."""
        return self._type(schema, "")

    def _signature(self, operation: Operation) -> Signature:
        about, reply, item = _camel(singular(operation.resource)), None, None
        if operation.kind == "pages":
            name = about if operation.name == "list" else f"{about}{_camel(singular(operation.name))}"
            self._listed = True
            item = self._type(operation.reply["properties"]["items"]["items"], name)
            self._listed = False
            reply = self._type(operation.reply, f"{item.name if isinstance(item, Named) else name}Page")
        elif operation.kind in ("json", "upload"):
            reply = self._type(operation.reply, _reply_name(operation, about))
            if operation.maybe_nothing:
                reply = _either([reply, NULL])
        self._sent = True
        body, fields = None, list[Field]()
        if operation.body is not None and "properties" in operation.body:
            fields = self._fields(operation.body, f"{_camel(operation.name)}{about}")
        elif operation.body is not None:
            body = self._type(operation.body, f"{_camel(operation.name)}{about}")
        self._sent = False
        return Signature(fields, body, reply, item)

    def _type(self, schema: Mapping[str, Any], name: str) -> Type:
        if "$ref" in schema:
            return Named(schema["$ref"].rpartition("/")[2])
        if "enum" in schema or "const" in schema:
            return Literals(tuple(schema.get("enum", [schema.get("const")])))
        for choice in ("anyOf", "oneOf"):
            if choice in schema:
                return _either([self._type(one, name) for one in schema[choice]])
        kind = schema.get("type")
        if isinstance(kind, list):
            return _either([self._type({**schema, "type": one}, name) for one in kind])
        if "properties" in schema:
            return self._object(schema, name)
        if kind == "array":
            return Items(self._type(schema.get("items", {}), name))
        if kind == "object":
            values = schema.get("additionalProperties")
            return Members(self._type(values, name) if isinstance(values, Mapping) else ANYTHING)
        return Named(kind) if kind in _PLAIN else ANYTHING

    def _object(self, schema: Mapping[str, Any], name: str) -> Type:
        fields = self._fields(schema, name)
        # What is small may be the same by chance alone.
        owner = self._resource if len(fields) < _TELLING else ""
        key = json.dumps([owner, self._sent, [[one.name, repr(one.type), one.required] for one in fields]])
        if key not in self._known:
            free = self._free_name(name)
            self._known[key] = free
            self.by_name[free] = Shape(free, self._resource, fields, self._sent)
        return Named(self._known[key])

    def _fields(self, schema: Mapping[str, Any], name: str) -> list[Field]:
        required = schema.get("required", ())
        return [
            Field(
                part,
                self._type(told, f"{name}{_camel(_part_name(part, told))}"),
                part in required,
                str(told.get("description", "")),
            )
            for part, told in schema["properties"].items()
        ]

    def _free_name(self, name: str) -> str:
        about = _camel(singular(self._resource))
        candidates = [name, f"{name}Sent", f"{about}{name}"] if self._sent else [name]
        candidates += [f"Listed{name}"] if self._listed else []
        candidates += [f"{name}{number}" for number in range(2, 99)]
        classes = {_camel(one.resource) for one in self.operations}
        return next(one for one in candidates if one not in {PERMISSION, *self.by_name, *classes})


def _turn(operation: Operation) -> tuple[int, str, str]:
    first = ("get", "list", "create")
    later = len(first) + (operation.kind == "pages")
    turn = first.index(operation.name) if operation.name in first else later
    return turn, operation.resource, operation.name


def _reply_name(operation: Operation, about: str) -> str:
    match operation.name:
        case "get":
            return about
        case "create":
            return f"Created{about}"
        case "list":
            return f"{_camel(operation.resource)}List"
        case name if name.startswith(("get_", "create_", "update_", "set_")) or operation.method != "GET":
            return f"{_camel(name)}Reply" if _camel(name).endswith(about) else f"{about}{_camel(name)}Reply"
        case name:
            return f"{about}{_camel(name)}"


def _part_name(name: str, schema: Mapping[str, Any]) -> str:
    kinds = [schema, *schema.get("anyOf", ())]
    return singular(name) if any(one.get("type") == "array" for one in kinds) else name


def _camel(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", name))


def _either(types: Sequence[Type]) -> Type:
    flat = [part for one in types for part in (one.types if isinstance(one, Either) else (one,))]
    if ANYTHING in flat:
        return ANYTHING
    literals = [value for one in flat if isinstance(one, Literals) for value in one.values]
    others = [one for one in flat if not isinstance(one, Literals)]
    joined: list[Type] = [Literals(tuple(dict.fromkeys(literals)))] if literals else []
    joined += dict.fromkeys(one for one in others if one != NULL)
    joined += [NULL] if NULL in others else []
    return joined[0] if len(joined) == 1 else Either(tuple(joined))
