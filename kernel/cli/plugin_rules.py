"""The rules that a server does not check when it starts: `guildhall plugin check` reads the sources."""

import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from guildhall_sdk.data import loaded_queries
from kernel.preparation import KERNEL_MIGRATIONS
from kernel.proofs import statements_of
from kernel.registry import LoadedPlugin, Registry

_INNER = frozenset({"kernel", "libs", "builtin_plugins"})
_MADE = re.compile(r"(?i)\bCREATE\s+(?:VIRTUAL\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?\"?(\w+)")
_NOT_CODE = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
# Marks around a name, and the schema in front of it.
_AROUND_NAMES = re.compile(r"(?i)\b(?:main|public)\s*\.\s*|[\"`\[\]]|\b(?:main|public)[\"`\]]\s*\.\s*")
_ARGUMENTS = re.compile(r"\([^()]*\)")
_ITEM = r"\w+(?:\s*\([^()]*\))?(?:\s+(?:AS\s+)?(?!JOIN\b)\w+)?"
_NAMED = re.compile(
    rf"(?i)\bFROM\s+({_ITEM}(?:\s*,\s*{_ITEM})*)"
    r"|\b(?:JOIN|INTO|UPDATE|REFERENCES|(?:TABLE|VIEW)(?:\s+IF(?:\s+NOT)?\s+EXISTS)?|INDEX\s+\w+\s+ON)\s+(\w+)"
)


def broken_rules(plugin: LoadedPlugin, registry: Registry) -> list[str]:
    """Returns a line for each place where the plugin reaches for what is not its own."""
    return [*_foreign_imports(plugin), *_foreign_tables(plugin, registry)]


def code_of(text: str) -> str:
    """Returns SQL without its comments and texts."""
    return _NOT_CODE.sub(" ", text)


def tables_named_in(code: str) -> Iterator[str]:
    """Yields the names that stand in SQL where a table does."""
    for listed, name in _NAMED.findall(_AROUND_NAMES.sub("", code)):
        yield from [name] if name else (item.split()[0] for item in _ARGUMENTS.sub("", listed).split(","))


def _foreign_imports(plugin: LoadedPlugin) -> Iterator[str]:
    for path in _sources_of(plugin):
        for line, name in _imports(ast.parse(path.read_bytes())):
            if name.partition(".")[0] in _INNER:
                yield (
                    f"{path.name}:{line} imports {name}, which changes with every release: "
                    "a plugin imports guildhall_sdk, and asks for the rest as services"
                )


def _sources_of(plugin: LoadedPlugin) -> Sequence[Path]:
    """Returns the plugin's modules; its tests may import what runs them."""
    if plugin.folder is None:
        file = getattr(sys.modules.get(plugin.module), "__file__", None)
        return [] if file is None else [Path(file)]
    return [
        path
        for path in sorted(plugin.folder.rglob("*.py"))
        if not {"tests", "conftest.py"} & set(path.relative_to(plugin.folder).parts)
        and not path.name.startswith("test_")
    ]


def _imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.lineno, node.module or ""


def _foreign_tables(plugin: LoadedPlugin, registry: Registry) -> Iterator[str]:
    owners = _owners_of_tables(registry)
    files = [file for file in loaded_queries() if registry.owner_of(file.module) is plugin]
    written = [(one.place, one.statement.texts()) for one in statements_of(plugin, files)]
    for place, texts in [*written, *_statements_in_code(plugin)]:
        named = {name.lower() for text in texts for name in tables_named_in(code_of(text))}
        for name in sorted(named):
            if owners.get(name, plugin.id) != plugin.id:
                yield (
                    f"{place} names the table {name} of {owners[name]}: read the views that are "
                    "published (docs/plugins/views.md), or ask a service"
                )


def _statements_in_code(plugin: LoadedPlugin) -> Iterator[tuple[str, Sequence[str]]]:
    """Yields the place and the texts of each `Statement` that is written out in the sources."""
    for path in _sources_of(plugin):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "Statement":
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
                texts = [one.value for one in given if isinstance(one, ast.Constant)]
                yield f"{path.name}:{node.lineno}", [text for text in texts if isinstance(text, str)]


def _owners_of_tables(registry: Registry) -> Mapping[str, str]:
    sources = [(KERNEL_MIGRATIONS.owner, KERNEL_MIGRATIONS.folder), *registry.migrations()]
    return {
        name: owner
        for owner, folder in sources
        for path in sorted(folder.glob("*.sql"))
        for name in _MADE.findall(code_of(path.read_text("utf-8")))
    }
