"""What a plugin says of itself: its `plugin.json` and its tools, taken or left out with the reason."""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builtin_plugins.oop.grants import CATALOGUE
from builtin_plugins.oop.messages import ProtocolAbuse
from libs.names import foreign_tool_name, name_fault
from libs.sandbox.launch import INTERPRETER, SEARCH_PATH

FILE = "plugin.json"
MAX_BYTES = 64 * 1024
MAX_FOLDERS = 100
_ID = re.compile(r"[a-z][a-z0-9-]{0,31}")
_TEXTS = ("id", "name", "version", "description")
_FIELDS = frozenset({*_TEXTS, "command", "capabilities"})
_MAX_TEXT, _MAX_ARGUMENTS, _MAX_ARGUMENT = 1_000, 32, 4_096
_INTERPRETER_NAMES = frozenset({"python", "python3"})

MAX_TOOLS = 100
_MAX_ORIGINAL = 128
_TOOL_FIELDS = frozenset({"name", "description", "schema", "permission"})
_DEFAULT_PERMISSION = "chat:use"


class ManifestFault(ValueError):
    """What is wrong with a manifest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A plugin as its folder describes it; `command` begins with the path of its program."""

    id: str
    name: str
    version: str
    description: str
    folder: Path
    command: Sequence[str]
    capabilities: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenManifest:
    """A folder that describes no plugin, under its own name, and why."""

    id: str
    reason: str


def read_manifests(root: Path) -> Sequence[Manifest | BrokenManifest]:
    """Returns the manifests of every folder below `root`, by name; an id belongs to the first that has it."""
    folders = sorted(entry for entry in root.iterdir() if entry.is_dir() and entry.name[0] != ".")
    found: dict[str, Manifest | BrokenManifest] = {}
    for folder in folders[:MAX_FOLDERS]:
        one = _read(folder)
        if one.id in found:
            reason = one.reason if isinstance(one, BrokenManifest) else f"the id {one.id} is taken already"
            # No id has a slash in it.
            one = BrokenManifest(id=f"{_printable_name(folder)}/", reason=reason)
        found[one.id] = one
    return tuple(found.values())


def _read(folder: Path) -> Manifest | BrokenManifest:
    try:
        return _parse(folder.resolve(), _load(folder / FILE))
    except ManifestFault as fault:
        return BrokenManifest(id=_printable_name(folder), reason=f"{FILE}: {fault}")


def _printable_name(folder: Path) -> str:
    """Returns the name of a folder, also of one that is not UTF-8."""
    return folder.name.encode("utf-8", "replace").decode()


def _load(path: Path) -> Mapping[str, Any]:
    # Without a writer, a pipe would be waited for.
    if path.exists() and not path.is_file():
        raise ManifestFault("must be a file")
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ManifestFault(f"cannot be read ({error.strerror})") from None
    if len(text) > MAX_BYTES:
        raise ManifestFault(f"is larger than {MAX_BYTES // 1024} KiB")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise ManifestFault("is not JSON") from None
    if not isinstance(fields, dict):
        raise ManifestFault("must be an object")
    return fields


def _parse(folder: Path, fields: Mapping[str, Any]) -> Manifest:
    if unknown := sorted(fields.keys() - _FIELDS):
        raise ManifestFault(f"has the unknown field {unknown[0]!r}")
    texts = {name: fields.get(name) for name in _TEXTS}
    for name, text in texts.items():
        if not isinstance(text, str) or not text.strip() or len(text) > _MAX_TEXT or not _is_clean(text):
            raise ManifestFault(f"{name} must be a text of 1 to {_MAX_TEXT} characters")
    if not _ID.fullmatch(str(texts["id"])):
        raise ManifestFault("id must be 1 to 32 of a-z, 0-9 and -, beginning with a letter")
    if (fault := name_fault(str(texts["name"]))) is not None:
        raise ManifestFault(f"name {fault}")
    return Manifest(
        id=str(texts["id"]),
        name=str(texts["name"]),
        version=str(texts["version"]),
        description=str(texts["description"]),
        folder=folder,
        command=_command(folder, fields.get("command")),
        capabilities=_capabilities(fields.get("capabilities", [])),
    )


def _command(folder: Path, given: Any) -> Sequence[str]:
    if (
        not isinstance(given, list)
        or not 1 <= len(given) <= _MAX_ARGUMENTS
        or not all(map(_is_argument, given))
    ):
        raise ManifestFault("command must be a list of texts that begins with a program")
    return (_program(folder, given[0]), *given[1:])


def _program(folder: Path, name: str) -> str:
    """Finds a program: a name where the system has them, a path with `/` in the plugin's folder."""
    if name in _INTERPRETER_NAMES:
        return str(INTERPRETER)
    if "/" in name:
        path = folder / name
        if not path.is_file():
            raise ManifestFault(f"command: there is no file {name}")
        return str(path)
    found = shutil.which(name, path=":".join(SEARCH_PATH))
    if found is None:
        raise ManifestFault(f"command: there is no program {name} in {', '.join(SEARCH_PATH)}")
    return found


def _capabilities(given: Any) -> Sequence[str]:
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise ManifestFault("capabilities must be a list of names")
    for name in given:
        if name not in CATALOGUE:
            raise ManifestFault(f"there is no capability {name!r}; there are {', '.join(CATALOGUE)}")
    return tuple(dict.fromkeys(given))


def _is_argument(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _MAX_ARGUMENT and _is_clean(value)


def _is_clean(text: str) -> bool:
    """Returns whether a text has no half of a surrogate pair, which nothing can write, and no NUL."""
    return "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)


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
    if unknown := sorted(given.keys() - _TOOL_FIELDS):
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
