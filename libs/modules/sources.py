"""What stands in sources, without running them."""

import ast
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path


def words_in(paths: Iterable[Path]) -> set[str]:
    """Returns the names of what Python files define, use and import; a file that cannot be read has none."""
    return {
        str(getattr(node, field, None))
        for node in _nodes(paths)
        for field in ("name", "id", "attr", "module")
    }


def names_imported_in(paths: Iterable[Path]) -> set[tuple[str, str]]:
    """Returns the module and the name of each `from module import name`."""
    imports = (node for node in _nodes(paths) if isinstance(node, ast.ImportFrom))
    return {(str(node.module), one.name) for node in imports for one in node.names}


def _nodes(paths: Iterable[Path]) -> Iterator[ast.AST]:
    for path in paths:
        with suppress(SyntaxError, OSError):
            yield from ast.walk(ast.parse(path.read_bytes()))
