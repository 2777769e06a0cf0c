"""How one definition of a module is written down: its code without bodies, and what its docstring says."""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "sdk/src"
MADE = "<!-- Made by `make reference` from the sources; change them, not this page. -->"
_BY_NAME = "_: KW_ONLY"
_LONGEST_VALUE = 300


def file_of(module: str) -> Path:
    path = SOURCES.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def tree_of(module: str) -> ast.Module:
    return ast.parse(file_of(module).read_text("utf-8"))


def page_name(module: str) -> str:
    return f"{module.removeprefix('guildhall_sdk').removeprefix('.') or 'guildhall_sdk'}.md"


def definitions_of(module: str) -> Iterator[tuple[str, str]]:
    """Yields each public name that a module defines, with what stands of it on the module's page."""
    lines = file_of(module).read_text("utf-8").splitlines()
    for node in tree_of(module).body:
        if isinstance(node, ast.ClassDef) and is_public(node.name):
            yield node.name, _class(node, lines)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_public(node.name):
            yield node.name, _described(node.name, signature_of(node), ast.get_docstring(node))
        elif isinstance(node, ast.AnnAssign | ast.Assign) and (name := _assigned(node)):
            yield name, _described(name, _assignment(node, name), _remark(lines, node.lineno))


def signature_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    begin = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = "" if node.returns is None else f" -> {ast.unparse(node.returns)}"
    return f"{begin} {node.name}({ast.unparse(node.args)}){returns}"


def is_public(name: str) -> bool:
    return not name.startswith("_")


def _class(node: ast.ClassDef, source: list[str]) -> str:
    lines = [f"class {node.name}{_bases(node)}:"]
    described = []
    for member in node.body:
        if isinstance(member, ast.AnnAssign) and ast.unparse(member) == _BY_NAME:
            lines.append(f"    {_BY_NAME}")
        elif isinstance(member, ast.AnnAssign | ast.Assign) and (name := _assigned(member)):
            lines.append(f"    {_assignment(member, name)}")
            if text := _remark(source, member.lineno):
                described.append(f"- `{name}`: {text}")
        elif isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and is_public(member.name):
            marks = [f"    @{ast.unparse(mark)}" for mark in member.decorator_list]
            lines += [*marks, f"    {signature_of(member)}"]
            if text := ast.get_docstring(member):
                described.append(f"- `{member.name}`: {_on_one_line(text)}")
    if len(lines) == 1:
        lines[0] = lines[0].rstrip(":")
    texts = filter(None, [ast.get_docstring(node), "\n".join(described)])
    marks = [f"@{mark}" for one in node.decorator_list if is_public(mark := ast.unparse(one))]
    return _described(node.name, "\n".join([*marks, *lines]), "\n\n".join(texts))


def _remark(source: list[str], line: int) -> str:
    """Returns what the `#:` lines above a field or a constant say."""
    remarks: list[str] = []
    while (above := source[line - 2 - len(remarks)].strip()).startswith("#:"):
        remarks.insert(0, above.removeprefix("#:").strip())
    return " ".join(remarks)


def _bases(node: ast.ClassDef) -> str:
    bases = [ast.unparse(base) for base in node.bases if ast.unparse(base) != "Protocol"]
    bases += [ast.unparse(keyword) for keyword in node.keywords]
    return f"({', '.join(bases)})" if bases else ""


def _assignment(node: ast.AnnAssign | ast.Assign, name: str) -> str:
    """Returns a constant, a field or a member of an enumeration; a value that fills a screen is left out."""
    value = "" if node.value is None else ast.unparse(node.value)
    annotation = f": {ast.unparse(node.annotation)}" if isinstance(node, ast.AnnAssign) else ""
    shown = f" = {value}" if value and len(value) <= _LONGEST_VALUE and "\n" not in value else ""
    return f"{name}{annotation}{shown}"


def _assigned(node: ast.AnnAssign | ast.Assign) -> str | None:
    target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
    return target.id if isinstance(target, ast.Name) and is_public(target.id) else None


def _described(name: str, code: str, text: str | None) -> str:
    return f"## {name}\n\n```python\n{code}\n```" + (f"\n\n{text}" if text else "")


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
