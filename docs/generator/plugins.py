"""The plugins that ship, and the one that stands for everybody else's, as they declare themselves."""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from docs.generator.pages import MADE
from guildhall_sdk import Command, Event, Feature, JobKind, Permission, Setting, Tool
from kernel.config import Settings
from kernel.declarations.settings import variable_of
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import discover, given
from kernel.registry import LoadedPlugin

_ROOT = Path(__file__).resolve().parents[2]
_SEPARATE = _ROOT / "tests/separate_plugin/project"
_HOOK = re.compile(r"(declare|on|decide)_\w+")
_INTRODUCTION = """\
What each plugin does, and by which hooks: the same ones that are there for yours. Their sources are examples
of all that a plugin can do. Good ones to begin with: {examples}; the last is a distribution of its own, as
yours would be."""
_EXAMPLES = ("notes", "triggers", "example-tools", "loans")


class ShownPlugin(NamedTuple):
    """A plugin with the hooks that it implements, and where its sources are."""

    loaded: LoadedPlugin
    hooks: Sequence[str]
    module: Any
    source: str


def loaded_plugins() -> list[ShownPlugin]:
    """Returns the plugins of these sources, and none that is merely installed here."""
    sys.path.insert(0, str(_SEPARATE / "src"))
    try:
        separate = import_module("guildhall_loans")
    finally:
        sys.path.remove(str(_SEPARATE / "src"))
    shipped = [one for one in discover(Settings.from_environment({}).plugins) if one.source != "entry-point"]
    registry = Admission([*shipped, given(separate)]).checked()
    return [_shown(plugin) for plugin in sorted(registry.plugins, key=lambda one: one.id)]


def _shown(plugin: LoadedPlugin) -> ShownPlugin:
    module = sys.modules[plugin.module]
    hooks = [name for name in sorted(vars(module)) if _HOOK.fullmatch(name) and callable(vars(module)[name])]
    folder = Path(str(module.__file__)).resolve().parent
    if folder.is_relative_to(_SEPARATE):
        folder = _SEPARATE
    return ShownPlugin(plugin, hooks, module, folder.relative_to(_ROOT).as_posix())


def gallery(plugins: Iterable[ShownPlugin]) -> str:
    shown = sorted(plugins, key=lambda one: one.loaded.plugin.name.lower())
    named = {one.loaded.id: one for one in shown}
    links = [f"[{named[one].loaded.plugin.name}](#{anchor_of(named[one])})" for one in _EXAMPLES]
    parts = [f"{MADE}\n# The plugins that ship", _INTRODUCTION.format(examples=", ".join(links))]
    return "\n\n".join([*parts, *map(_entry, shown)]) + "\n"


def anchor_of(one: ShownPlugin) -> str:
    """Returns the anchor of a plugin's heading in the gallery."""
    return re.sub(r"[^\w\- ]", "", one.loaded.plugin.name.lower()).replace(" ", "-")


def _entry(one: ShownPlugin) -> str:
    plugin = one.loaded.plugin
    facts = "\n".join(f"- {label}: {text}" for label, text in _facts(one) if text)
    where = f"`{plugin.id}` in [`{one.source}`](../../../{one.source})"
    return f"## {plugin.name}\n\n{plugin.description} It is {where}.\n\n{facts}"


def _facts(one: ShownPlugin) -> Iterator[tuple[str, str]]:
    loaded = one.loaded
    brought = sorted(hook.hook for hook in loaded.hookspecs)
    is_example = loaded.source != "builtin"
    yield "hooks", ", ".join(_hook(name, bare=name in brought and is_example) for name in one.hooks)
    yield "brings for others", ", ".join(_hook(name, bare=is_example) for name in brought)
    rows = len(loaded.routes)
    yield "rows of the API", f"{rows}" if rows else ""
    permissions = loaded.declared(Permission)
    yield "permissions", ", ".join(f"`{row.name}` ({row.description})" for row in permissions)
    yield "settings", _code(variable_of(row, loaded.id) for row in loaded.declared(Setting))
    yield "features", _code(row.name for row in loaded.declared(Feature))
    yield "kinds of jobs", _code(row.name for row in loaded.declared(JobKind))
    yield "events", _code(row.name for row in loaded.declared(Event))
    yield "tools", _code(row.name for row in loaded.declared(Tool))
    yield "commands", _code(f"guildhall {row.name}" for row in loaded.declared(Command))
    yield "services", _code(sorted(protocol.__name__ for protocol in loaded.services))
    yield "needs", _code(loaded.plugin.requires)


def _hook(name: str, *, bare: bool) -> str:
    """Returns a hook with a link to its page; one that is only there as an example has none."""
    return f"`{name}`" if bare else f"[`{name}`](hooks/{name}.md)"


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
