"""What stands in sources, without running them."""

import ast
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

_ARGUMENT = re.compile(r"\b(\w+)(?:\.__(?:init|new)__)?\(\) got an unexpected keyword argument '(\w+)'")
_NO_DATACLASS = re.compile(r"\b(\w+)\(\) should be called on dataclass instances")


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


def missing_in(error: BaseException) -> list[str]:
    """Returns the names that an error found missing, such as `Shelf.books`.

    `Shelf` is the type whose attribute or field it is, or the function whose argument; `NamedTuple.replace`
    is a function of `dataclasses` that was called with what is no dataclass.
    """
    if isinstance(error, AttributeError) and error.name is not None:
        return [f"{kind.__name__}.{error.name}" for kind in type(error.obj).__mro__]
    if not isinstance(error, TypeError):
        return []
    arguments = [f"{owner}.{name}" for owner, name in _ARGUMENT.findall(str(error))]
    return [*arguments, *(f"NamedTuple.{name}" for name in _NO_DATACLASS.findall(str(error)))]


def _nodes(paths: Iterable[Path]) -> Iterator[ast.AST]:
    for path in paths:
        with suppress(SyntaxError, OSError):
            yield from ast.walk(ast.parse(path.read_bytes()))
