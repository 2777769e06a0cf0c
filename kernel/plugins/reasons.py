"""Why a plugin was kept out, in words for its author."""

import traceback
from collections.abc import Iterable
from pathlib import Path

import pluggy

from guildhall_sdk.public import GONE
from kernel.faults import PluginFault, gone_from
from kernel.registry import SHARED_PACKAGES
from libs import modules
from libs.plugin_hooks import HookFault

_KERNEL = str(Path(__file__).parent.parent)


def reason_of(error: BaseException, module: str = "") -> str:
    """Describes an error: a fault in its own words, else with the plugin's line where it happened."""
    if isinstance(error, PluginFault | HookFault | pluggy.PluginValidationError):
        return str(error)
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    text += place_of(error, module)
    if isinstance(error, ImportError) and (error.name or "").startswith("guildhall_sdk"):
        file = traceback.extract_tb(error.__traceback__)[-1].filename
        text = words_to_change(file) or text
    return "; ".join([text, *gone_from(error)])


def words_to_change(file: str | None, words: Iterable[str] = ()) -> str:
    """Returns each word of an earlier SDK among these and in a plugin's sources, and what took its place."""
    paths = [] if file is None else _sources_around(Path(file))
    imported = {one for one in modules.names_imported_in(paths) if one[0].startswith("guildhall_sdk")}
    found = {*words, *modules.words_in(paths), *(f"{module}.{name}" for module, name in imported)}
    gone = [f"{word} is gone: {GONE[word]}" for word in GONE if any(_is_in(word, one) for one in found)]
    # An attribute is named with its class: who uses both words may mean it.
    both = [one for one in GONE if one[0].isupper() and "." in one and found.issuperset(one.split("."))]
    gone += [f"{word} is gone: {GONE[word]}" for word in both]
    there = [one for one in imported if not any(_is_in(word, ".".join(one)) for word in GONE)]
    moved = {name: modules.moved_to("guildhall_sdk", module, name) for module, name in there}
    return "; ".join([*gone, *(f"{name} is in {place}" for name, place in sorted(moved.items()) if place)])


def _is_in(word: str, found: str) -> bool:
    """Tells whether a word is another one, or the module that it stands in."""
    return f"{found}.".startswith(f"{word}.")


def _sources_around(path: Path) -> list[Path]:
    is_own_folder = path.name == "__init__.py" or (path.parent / "plugin.json").is_file()
    return sorted(path.parent.rglob("*.py")) if is_own_folder else [path]


def place_of(error: BaseException, module: str = "") -> str:
    """Returns the innermost line of the plugin, of the error or of what caused it; else of no library."""
    return modules.place_of(error, lambda name: modules.belongs(name, module, SHARED_PACKAGES), _KERNEL)
