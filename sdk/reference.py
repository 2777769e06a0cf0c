"""Writes a reference page for each public module of the SDK: `python sdk/reference.py [FOLDER]`."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from libs.modules import modules_of

_MODULES = modules_of("guildhall_sdk")
_SOURCES = Path(__file__).resolve().parent / "src"
_PAGES = Path(__file__).resolve().parents[1] / "docs/plugins/reference"
_BY_NAME = "_: KW_ONLY"
_MADE = "<!-- Made by `make reference` from the docstrings of the SDK; change them, not this page. -->"


def pages() -> dict[str, str]:
    """Returns the text of each page by its file name, the index among them."""
    made = {_page_name(module): _page(module) for module in _MODULES}
    index = [f"- [{module}]({_page_name(module)}): {_docstring(module)[0]}" for module in _MODULES]
    listed = "\n".join(index)
    made["index.md"] = f"{_MADE}\n# What a plugin may import\n\n{listed}\n"
    return made


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    made = pages()
    for old in folder.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, "utf-8")


def _page_name(module: str) -> str:
    return f"{module.removeprefix('guildhall_sdk').removeprefix('.') or 'guildhall_sdk'}.md"


def _page(module: str) -> str:
    first, rest = _docstring(module)
    parts = [_MADE, f"# {module}\n\n{first}" + (f"\n\n{rest}" if rest else "")]
    parts += _definitions(module)
    if again := _from_elsewhere(module):
        parts.append(
            "## From its parts\n\n" + "\n".join(f"- `{name}` of `{source}`" for name, source in again)
        )
    return "\n\n".join(parts) + "\n"


def _file(module: str) -> Path:
    path = _SOURCES.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _tree(module: str) -> ast.Module:
    return ast.parse(_file(module).read_text("utf-8"))


def _docstring(module: str) -> tuple[str, str]:
    first, _, rest = (ast.get_docstring(_tree(module)) or "").partition("\n")
    return first, rest.strip()


def _definitions(module: str) -> Iterator[str]:
    lines = _file(module).read_text("utf-8").splitlines()
    for node in _tree(module).body:
        if isinstance(node, ast.ClassDef) and _is_public(node.name):
            yield _class(node, lines)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_public(node.name):
            yield _described(f"## {node.name}", _signature(node), ast.get_docstring(node))
        elif isinstance(node, ast.AnnAssign | ast.Assign) and (name := _assigned(node)):
            yield _described(f"## {name}", _constant(node, name), None)


def _class(node: ast.ClassDef, source: list[str]) -> str:
    lines = [f"class {node.name}{_bases(node)}:"]
    described = []
    for member in node.body:
        if isinstance(member, ast.AnnAssign) and ast.unparse(member) == _BY_NAME:
            lines.append(f"    {_BY_NAME}")
        elif isinstance(member, ast.AnnAssign) and (name := _assigned(member)):
            default = "" if member.value is None else f" = {ast.unparse(member.value)}"
            lines.append(f"    {name}: {ast.unparse(member.annotation)}{default}")
            if text := _remark(source, member.lineno):
                described.append(f"- `{name}`: {text}")
        elif isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and _is_public(member.name):
            marks = [f"    @{ast.unparse(mark)}" for mark in member.decorator_list]
            lines += [*marks, f"    {_signature(member)}"]
            if text := ast.get_docstring(member):
                described.append(f"- `{member.name}`: {_on_one_line(text)}")
    if len(lines) == 1:
        lines[0] = lines[0].rstrip(":")
    texts = filter(None, [ast.get_docstring(node), "\n".join(described)])
    marks = [f"@{mark}" for one in node.decorator_list if _is_public(mark := ast.unparse(one))]
    return _described(f"## {node.name}", "\n".join([*marks, *lines]), "\n\n".join(texts))


def _remark(source: list[str], line: int) -> str:
    """Returns what the `#:` lines above a field say."""
    remarks: list[str] = []
    while (above := source[line - 2 - len(remarks)].strip()).startswith("#:"):
        remarks.insert(0, above.removeprefix("#:").strip())
    return " ".join(remarks)


def _bases(node: ast.ClassDef) -> str:
    bases = [ast.unparse(base) for base in node.bases if ast.unparse(base) != "Protocol"]
    bases += [ast.unparse(keyword) for keyword in node.keywords]
    return f"({', '.join(bases)})" if bases else ""


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    begin = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = "" if node.returns is None else f" -> {ast.unparse(node.returns)}"
    return f"{begin} {node.name}({ast.unparse(node.args)}){returns}"


def _constant(node: ast.AnnAssign | ast.Assign, name: str) -> str:
    value = "" if node.value is None else ast.unparse(node.value)
    annotation = f": {ast.unparse(node.annotation)}" if isinstance(node, ast.AnnAssign) else ""
    short = f" = {value}" if len(value) <= 100 and "\n" not in value else ""
    return f"{name}{annotation}{short}"


def _assigned(node: ast.AnnAssign | ast.Assign) -> str | None:
    target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
    return target.id if isinstance(target, ast.Name) and _is_public(target.id) else None


def _from_elsewhere(module: str) -> list[tuple[str, str]]:
    """Returns what a package re-exports of its own parts."""
    if not _file(module).name.startswith("__init__"):
        return []
    return sorted(
        (alias.name, node.module or "")
        for node in _tree(module).body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(module)
        for alias in node.names
        if _is_public(alias.name)
    )


def _described(heading: str, code: str, text: str | None) -> str:
    return f"{heading}\n\n```python\n{code}\n```" + (f"\n\n{text}" if text else "")


def _is_public(name: str) -> bool:
    return not name.startswith("_")


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else _PAGES)
