"""Why a plugin was kept out, in words for its author."""

import ast
import traceback
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pluggy

from guildhall_sdk.public import GONE
from kernel.faults import PluginFault
from kernel.registry import belongs
from libs import modules

_KERNEL = str(Path(__file__).parent.parent)
_place_now = partial(modules.moved_to, "guildhall_sdk")


def module_of(plugin: Any) -> str:
    """Returns the name of the module that a plugin is, or that its class stands in."""
    return str(getattr(plugin, "__name__", type(plugin).__module__))


def reason_of(error: BaseException, module: str = "") -> str:
    """Describes an error: a fault in its own words, else with the plugin's line where it happened."""
    if isinstance(error, PluginFault | pluggy.PluginValidationError):
        return str(error)
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    text += place_of(error, module)
    if isinstance(error, ImportError) and (error.name or "").startswith("guildhall_sdk"):
        file = traceback.extract_tb(error.__traceback__)[-1].filename
        text = words_to_change(file) or text
    return text


def words_to_change(file: str | None, words: Iterable[str] = ()) -> str:
    """Returns each word of an earlier SDK among these and in a plugin's sources, and what took its place."""
    found, moved = {*words}, dict[str, str]()
    for path in [] if file is None else _sources_around(Path(file)):
        with suppress(SyntaxError, OSError):
            for node in ast.walk(ast.parse(path.read_bytes())):
                found |= {str(getattr(node, name, None)) for name in ("name", "id", "attr", "module")}
                if isinstance(node, ast.ImportFrom) and str(node.module).startswith("guildhall_sdk"):
                    found |= {f"{node.module}.{one.name}" for one in node.names}
                    places = {one.name: _place_now(str(node.module), one.name) for one in node.names}
                    moved |= {name: place for name, place in places.items() if place is not None}
    gone = [f"{word} is gone: {instead}" for word, instead in GONE.items() if word in found]
    return "; ".join([*gone, *(f"{name} is in {place}" for name, place in sorted(moved.items()))])


def _sources_around(path: Path) -> Iterable[Path]:
    is_own_folder = path.name == "__init__.py" or (path.parent / "plugin.json").is_file()
    return sorted(path.parent.rglob("*.py")) if is_own_folder else [path]


def place_of(error: BaseException, module: str = "") -> str:
    """Returns the innermost line of the plugin, of the error or of what caused it; else of no library."""
    return modules.place_of(error, lambda name: bool(module) and belongs(name, module), _KERNEL)
