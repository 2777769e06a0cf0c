"""Writes what the sources say into pages: `python -m docs.generator.reference [FOLDER]`.

There is a page for each public module of the SDK and for each hook, and one for the plugins that ship.
"""

import ast
import sys
from pathlib import Path

from docs.generator.hooks import hook_pages
from docs.generator.pages import MADE, definitions_of, file_of, is_public, page_name, tree_of
from docs.generator.plugins import gallery, loaded_plugins
from libs.modules import modules_of

_MODULES = modules_of("guildhall_sdk")
_PAGES = Path(__file__).resolve().parents[1] / "plugins/reference"


def pages() -> dict[str, str]:
    """Returns the text of each page by its path, the index among them."""
    made = {page_name(module): _page(module) for module in _MODULES}
    index = [f"- [{module}]({page_name(module)}): {_docstring(module)[0]}" for module in _MODULES]
    listed = "\n".join(index)
    made["index.md"] = f"{MADE}\n# What a plugin may import\n\n{listed}\n"
    plugins = loaded_plugins()
    return {**made, **hook_pages(plugins, _types()), "gallery.md": gallery(plugins)}


def write(folder: Path) -> None:
    made = pages()
    for old in folder.rglob("*.md"):
        if old.relative_to(folder).as_posix() not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def _page(module: str) -> str:
    first, rest = _docstring(module)
    parts = [MADE, f"# {module}\n\n{first}" + (f"\n\n{rest}" if rest else "")]
    parts += [text for _, text in definitions_of(module)]
    if again := _from_elsewhere(module):
        parts.append(
            "## From its parts\n\n" + "\n".join(f"- `{name}` of `{source}`" for name, source in again)
        )
    return "\n\n".join(parts) + "\n"


def _types() -> dict[str, str]:
    """Returns where each name of the SDK is described, as hooks say what they take and return."""
    return {
        name: f"{page_name(module)}#{name.lower()}"
        for module in _MODULES
        for name, _ in definitions_of(module)
    }


def _docstring(module: str) -> tuple[str, str]:
    first, _, rest = (ast.get_docstring(tree_of(module)) or "").partition("\n")
    return first, rest.strip()


def _from_elsewhere(module: str) -> list[tuple[str, str]]:
    """Returns what a package re-exports of its own parts."""
    if not file_of(module).name.startswith("__init__"):
        return []
    return sorted(
        (alias.name, node.module or "")
        for node in tree_of(module).body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(module)
        for alias in node.names
        if is_public(alias.name)
    )


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else _PAGES)
