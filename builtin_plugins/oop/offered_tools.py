"""The tools that a plugin says it has: taken one by one, and those that cannot be are left out with why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builtin_plugins.oop.messages import ProtocolAbuse
from guildhall_sdk.tools import foreign_tool_name

MAX_TOOLS = 100
_MAX_ORIGINAL = 128
_FIELDS = frozenset({"name", "description", "schema", "permission"})
_DEFAULT_PERMISSION = "chat:use"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
    """`original` is what the plugin calls it."""

    name: str
    original: str
    description: str
    schema: Mapping[str, Any]
    permission: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    name: str
    reason: str


def read_tools(plugin_id: str, answer: Any) -> tuple[Sequence[OfferedTool], Sequence[LeftOut]]:
    """Raises `ProtocolAbuse` for what is no list of tools."""
    listed = answer.get("tools") if isinstance(answer, dict) else None
    if not isinstance(listed, list):
        raise ProtocolAbuse("answered tools/list without a list of tools")
    taken: dict[str, OfferedTool] = {}
    left_out: list[LeftOut] = []
    for place, given in enumerate(listed[:MAX_TOOLS]):
        try:
            one = _read_tool(plugin_id, given)
            if (other := taken.get(one.name)) is not None:
                raise ValueError(f"{one.name} is the name of {other.original} already")
            taken[one.name] = one
        except ValueError as fault:
            left_out.append(LeftOut(name=_original(given) or f"number {place + 1}", reason=str(fault)))
    if len(listed) > MAX_TOOLS:
        left_out.append(
            LeftOut(name=f"{len(listed) - MAX_TOOLS} more", reason=f"at most {MAX_TOOLS} are taken")
        )
    return tuple(taken.values()), tuple(left_out)


def _read_tool(plugin_id: str, given: Any) -> OfferedTool:
    if not isinstance(given, dict):
        raise ValueError("is no object")
    if unknown := sorted(given.keys() - _FIELDS):
        raise ValueError(f"has the unknown member {unknown[0][:64]!r}")
    original = _original(given)
    if original is None:
        raise ValueError(f"needs a name of 1 to {_MAX_ORIGINAL} characters")
    texts = {
        "description": given.get("description", ""),
        "permission": given.get("permission", _DEFAULT_PERMISSION),
    }
    for name, value in texts.items():
        if not isinstance(value, str):
            raise ValueError(f"its {name} must be a text")
    schema = given.get("schema", {"type": "object", "properties": {}})
    if not isinstance(schema, dict):
        raise ValueError("its schema must be an object")
    return OfferedTool(
        name=foreign_tool_name("oop", plugin_id, original), original=original, schema=schema, **texts
    )


def _original(given: Any) -> str | None:
    name = given.get("name") if isinstance(given, dict) else None
    return name if isinstance(name, str) and 0 < len(name) <= _MAX_ORIGINAL else None
