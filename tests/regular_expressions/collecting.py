"""Every regular expression of the source, found by reading it, with the ways in which it is used."""

import ast
import importlib
import importlib.util
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = {
    ROOT: ("kernel", "libs", "builtin_plugins"),
    ROOT / "sdk/src": ("guildhall_sdk",),
}
FOLDERS = (ROOT / "plugins",)
METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")


@dataclass(frozen=True)
class Used:
    """A pattern and the methods that are called on it; `pattern` is None where only running it tells."""

    where: str
    pattern: "re.Pattern | None"
    methods: frozenset


_CALL = re.compile(rf"\b(\w+)\s*\.\s*({'|'.join(METHODS)})\b")


def collect():
    calls = _calls_by_name()
    found = []
    for path, tree in _parsed("re"):
        names = {id(node.value): node.targets[0].id for node in ast.walk(tree) if _is_named(node)}
        for function, node in _uses_of_re(tree):
            where = f"{_name(path)}:{function}"
            pattern = _evaluated(path, node)
            if _method(node) == "compile":
                name = names.get(id(node), "")
                methods = calls.get((path if name[:1] == "_" else None, name)) or frozenset(METHODS[:3])
            else:
                methods = frozenset({_method(node)})
            found.append(Used(where, pattern, methods))
    return found


def sources_with_expressions():
    """The paths of all that may have some, told without parsing."""
    return [_name(path) for path in _sources() if re.search(r"\bre\s*\.", path.read_text("utf-8"))]


def _name(path):
    return path.relative_to(ROOT).as_posix()


def _sources():
    tops = [base / package for base, packages in PACKAGES.items() for package in packages]
    for top in (*tops, *FOLDERS):
        for path in sorted(top.rglob("*.py")):
            inside = path.relative_to(ROOT).parts
            if "tests" not in inside:
                yield path


def _parsed(*words):
    """Each source with one of these words in it, and its tree: no other can use or import what they name."""
    named = re.compile(rf"\b(?:{'|'.join(words)})\b")
    for path in _sources():
        if named.search(text := path.read_text("utf-8")):
            yield path, ast.parse(text)


def _is_named(node):
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)


def _uses_of_re(tree):
    """Each call of a function of `re`, with the name of the function that it stands in."""
    todo = [(tree, "module")]
    while todo:
        node, function = todo.pop()
        if isinstance(node, ast.Call) and _method(node) in ("compile", *METHODS):
            yield function, node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node.name
        todo += [(child, function) for child in ast.iter_child_nodes(node)]


def _method(call):
    """The function of `re` that a call is of; None for any other."""
    function = call.func
    is_of_re = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
    return function.attr if is_of_re and function.value.id == "re" else None


def _calls_by_name():
    """The methods that are called on each name: in its own file, and on a public one in any."""
    calls = {}
    for path in _sources():
        for name, method in _CALL.findall(path.read_text("utf-8")):
            calls.setdefault((path if name[:1] == "_" else None, name), set()).add(method)
    return {key: frozenset(methods) for key, methods in calls.items()}


def _evaluated(path, node):
    """The compiled pattern, where the names of its module are enough to tell it."""
    spoken = {"re": re, **_module(path).__dict__}
    flags = [keyword for keyword in node.keywords if keyword.arg == "flags"]
    given = node.args[: 2 if _method(node) == "compile" else 1]
    compiled = ast.Call(ast.Attribute(ast.Name("re", ast.Load()), "compile", ast.Load()), given, flags)
    expression = ast.fix_missing_locations(ast.Expression(compiled))
    try:
        return eval(compile(expression, str(path), "eval"), spoken)
    except NameError:
        return None


@cache
def _module(path):
    for base, packages in PACKAGES.items():
        for package in packages:
            if path.is_relative_to(base / package):
                name = ".".join(path.relative_to(base).with_suffix("").parts)
                return importlib.import_module(name.removesuffix(".__init__"))
    specification = importlib.util.spec_from_file_location(f"read_for_patterns_{path.stem}", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def imports_of_re():
    """The ways in which the source imports `re`, or another module like it."""
    names = {"re", "regex", "re2", "sre_compile"}
    found = set()
    for _, tree in _parsed(*names):
        for node in ast.walk(tree):
            modules = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            aliased = isinstance(node, ast.Import) and any(one.asname for one in node.names)
            if (isinstance(node, ast.ImportFrom) and node.module in names) or names & {*modules}:
                found.add(ast.unparse(node) if aliased or len(modules) != 1 else f"import {modules[0]}")
    return found
