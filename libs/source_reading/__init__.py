"""What the sources of a package say before they are run: their imports, and the tables in their SQL."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

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


def modules_in(folder: Path) -> Sequence[Path]:
    """Returns the modules of a package; its tests may import what runs them."""
    return [
        path
        for path in sorted(folder.rglob("*.py"))
        if not {"tests", "conftest.py"} & set(path.relative_to(folder).parts)
        and not path.name.startswith("test_")
    ]


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yields the line and the name of each module that a file imports, but for its neighbours."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.lineno, node.module or ""


def imports_from(packages: Collection[str], sources: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yields the place and the name of each module of these packages that files import."""
    for path in sources:
        for line, name in imports_of(path):
            if name.partition(".")[0] in packages:
                yield f"{path.name}:{line}", name


def texts_given_to(name: str, path: Path) -> Iterator[tuple[int, Sequence[str]]]:
    """Yields the line and the texts of each call of this name in a file, as far as they are written out."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name:
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            texts = [one.value for one in given if isinstance(one, ast.Constant)]
            yield node.lineno, [text for text in texts if isinstance(text, str)]


def marked_functions(mark: str, path: Path) -> Iterator[str]:
    """Yields the names of the functions of a file that carry a decorator of this name."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            named = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
            if any(ast.unparse(one).rpartition(".")[2] == mark for one in named):
                yield node.name


def code_of(text: str) -> str:
    """Returns SQL without its comments and texts."""
    return _NOT_CODE.sub(" ", text)


def tables_named_in(code: str) -> Iterator[str]:
    """Yields the names that stand in SQL where a table does."""
    for listed, name in _NAMED.findall(_AROUND_NAMES.sub("", code)):
        yield from [name] if name else (item.split()[0] for item in _ARGUMENTS.sub("", listed).split(","))


def tables_of_others(
    written: Iterable[tuple[str, Iterable[str]]], owners: Mapping[str, str], own: str
) -> Iterator[tuple[str, str]]:
    """Yields the place and the name of each table in SQL, given by its place, that is another owner's."""
    for place, texts in written:
        named = {name.lower() for text in texts for name in tables_named_in(code_of(text))}
        yield from ((place, name) for name in sorted(named) if owners.get(name, own) != own)


def tables_made_in(folder: Path) -> Iterator[str]:
    """Yields the names of the tables that the SQL files of a folder create."""
    for path in sorted(folder.glob("*.sql")):
        yield from _MADE.findall(code_of(path.read_text("utf-8")))
