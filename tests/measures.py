"""What `budget.toml` bounds, counted: lines of code, files, names, hooks, hidden parameters, arguments."""

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

HOUSE = Path(__file__).parents[1]
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def sources(*places: str) -> list[Path]:
    """Returns the Python files of some folders; a place may be a file itself.

    Without their tests, and without what the scaffold writes for authors of plugins.
    """
    paths = [HOUSE / place for place in places]
    found = [one for path in paths for one in ([path] if path.is_file() else sorted(path.rglob("*.py")))]
    away = {"tests", "node_modules", "dist", "scaffold"}
    return [path for path in found if not away & {*path.relative_to(HOUSE).parts}]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def lines_of_code(path: Path) -> int:
    """Counts the lines that hold a token of code: no blank line, comment or docstring."""
    with io.StringIO(path.read_text()) as text:
        tokens = [token for token in tokenize.generate_tokens(text.readline) if token.type not in _NO_CODE]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    return len(lines - {*_docstring_lines(parsed(path))})


def _docstring_lines(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, *_FUNCTIONS)) and ast.get_docstring(node, clean=False):
            text = node.body[0]
            yield from range(text.lineno, (text.end_lineno or text.lineno) + 1)


def names_at_the_top(package: Path) -> int:
    """Counts the names that a package's `__all__` lists."""
    for node in parsed(package / "__init__.py").body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return len(ast.literal_eval(node.value))
    return 0


def hooks_beginning(prefix: str, path: Path) -> int:
    """Counts the hookspecs of a module whose names begin with a prefix."""
    return sum(
        isinstance(node, _FUNCTIONS) and node.name.startswith(prefix) for node in ast.walk(parsed(path))
    )


def context_variables(paths: Sequence[Path]) -> list[str]:
    """Returns where context variables are made."""
    return [
        _place(path, node)
        for path in paths
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "ContextVar"
    ]


def long_signatures(paths: Sequence[Path], limit: int) -> list[str]:
    """Returns the functions that take more parameters than the limit, `self` and `cls` not counted."""
    return [
        f"{_place(path, node)} {node.name}"
        for path in paths
        for node in ast.walk(parsed(path))
        if isinstance(node, _FUNCTIONS) and len(_parameters(node)) > limit
    ]


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    given = function.args
    names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return [name for name in names if name not in ("self", "cls")]


def long_calls(paths: Sequence[Path], limit: int) -> list[str]:
    """Returns the calls with more positional arguments than the limit."""
    return [
        _place(path, node)
        for path in paths
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and len(node.args) > limit
    ]


def tests_outside(package: str) -> list[Path]:
    """Returns the Python files of all test folders but those of one package, which stand beside it."""
    tops = ("builtin_plugins", "kernel", "libs", "plugins", "sdk", "tests")
    found = [path for top in tops if top != package for path in sorted((HOUSE / top).rglob("*.py"))]
    return [
        path
        for path in [HOUSE / "conftest.py", *found]
        if {"tests", "conftest.py"} & {*path.relative_to(HOUSE).parts} and "node_modules" not in path.parts
    ]


def files_that_know(paths: Sequence[Path], package: str) -> list[str]:
    """Returns the files that import a module of a package, or name one in a string as a patch does."""
    return [
        path.relative_to(HOUSE).as_posix()
        for path in paths
        if any(name.split(".")[0] == package for name in _modules_named(path))
    ]


def _modules_named(path: Path) -> Iterator[str]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            yield node.value


def _place(path: Path, node: ast.expr | ast.stmt) -> str:
    return f"{path.relative_to(HOUSE).as_posix()}:{node.lineno}"
