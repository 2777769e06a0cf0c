"""The pages as Sphinx takes them: with their places in the navigation, and with links within the site.

What is read on a code host stays as it is; nothing of the site stands in the pages themselves.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MAP = "index.md"
# Pages that stand elsewhere in the sources, by where they stand on the site, whose search is at `search`.
_OTHERS = {
    "docs/search.md": "finding.md",
    "docs/plugins/reference/hooks.md": "plugins/reference/sdk-hooks.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "clients/python/README.md": "clients-python.md",
    "clients/typescript/README.md": "clients-typescript.md",
}
#: Pages that list others, which stand below them in the navigation; the first that lists a page has it.
LISTS = (
    "plugins/recipes.md",
    "plugins/reference/hooks/index.md",
    "plugins/reference/index.md",
    "decisions/index.md",
    "clients.md",
    "plugins/index.md",
)
_FENCED = re.compile(r"^( *)(```+|~~~+).*?^\1\2 *$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_LINK = re.compile(
    r"(?P<code>`+)(?!`).*?(?<!`)(?P=code)(?!`)|(?P<picture>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)",
    re.DOTALL,
)
_HEADING = re.compile(r"^#{1,5} ", re.MULTILINE)
_PART = re.compile(r"^## (?P<caption>.+)$", re.MULTILINE)
_LISTED = re.compile(r"^- \[(?:[^\]]|\n)+\]\((?P<target>[^)#\s]+)\)", re.MULTILINE)
_TREE = "\n```{{toctree}}\n:hidden:\n{options}\n{pages}\n```\n"


def prepare(stage: Path) -> None:
    """Writes every page and picture to a folder, those alone that are other than they were."""
    places = _places()
    pages = {place: _prepared(source, place, places) for source, place in places.items() if _is_page(source)}
    parts, below = _navigation(pages)
    pages[MAP] += "".join(_tree(MAP, own, f":caption: {caption}") for caption, own in parts.items())
    for place, own in below.items():
        pages[place] += _tree(place, own, ":maxdepth: 1")
    files: dict[str, bytes] = {place: text.encode() for place, text in pages.items()}
    files["navigation.json"] = json.dumps({"parts": parts, "below": below}).encode()
    files |= {place: (ROOT / source).read_bytes() for source, place in places.items() if not _is_page(source)}
    for place, content in files.items():
        path = stage / place
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    for path in [path for path in stage.rglob("*") if path.is_file()]:
        if path.relative_to(stage).as_posix() not in files:
            path.unlink()


def _places() -> dict[str, str]:
    """Returns where each file stands on the site, by where it stands in the sources."""
    found = {}
    for pattern in ("**/*.md", "**/*.png"):
        for path in sorted(DOCS.glob(pattern)):
            place = path.relative_to(DOCS).as_posix()
            found[f"docs/{place}"] = re.sub(r"(^|/)README\.md$", r"\1index.md", place)
    found |= _OTHERS
    taken = {
        "search.md",
        *(place.replace("/index.md", ".md") for place in found.values() if "/index.md" in place),
    }
    if both := taken & {*found.values()}:
        raise SystemExit(f"Two pages of the site would have one address: {', '.join(sorted(both))}.")
    return found


def _is_page(source: str) -> bool:
    return source.endswith(".md")


def _prepared(source: str, place: str, places: dict[str, str]) -> str:
    text = (ROOT / source).read_text("utf-8")
    above = PurePosixPath(source).parent.as_posix()

    def lead(link: re.Match[str]) -> str:
        target, mark, anchor = (link["target"] or "").partition("#")
        if link["code"] or not target or "://" in target or target.startswith("mailto:"):
            return link[0]
        path = normpath(f"{above}/{target}")
        to = MAP if path == "README.md" else places.get(path)
        if to is None:
            # It stands in the sources alone: its path is what a reader can use.
            return f"{link['text']} (`{path}`)" if f"`{path}`" != link["text"] else link["text"]
        beside = relpath(to, PurePosixPath(place).parent.as_posix())
        return f"{link['picture']}[{link['text']}]({beside}{mark}{anchor})"

    return _one_title(_outside_of_code(text, lambda prose: _LINK.sub(lead, _COMMENT.sub("", prose))), source)


def _one_title(text: str, source: str) -> str:
    """Sets all headings but the first one deeper, where a page has several of the highest."""
    highest = 0

    def count(heading: re.Match[str]) -> str:
        nonlocal highest
        highest += heading[0] == "# "
        return heading[0]

    _outside_of_code(text, lambda prose: _HEADING.sub(count, prose))
    if not highest:
        raise SystemExit(f"{source} has no title: begin it with a line such as `# Notes`.")
    if highest == 1:
        return text
    before, title, rest = text.partition("# ")
    return before + title + _outside_of_code(rest, lambda prose: _HEADING.sub(r"#\g<0>", prose))


def _outside_of_code(text: str, change: Callable[[str], str]) -> str:
    """Changes what stands between fenced blocks of code."""
    parts, at = [], 0
    for block in _FENCED.finditer(text):
        parts += [change(text[at : block.start()]), block[0]]
        at = block.end()
    return "".join([*parts, change(text[at:])])


def _navigation(pages: dict[str, str]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Returns the pages of each part of the map, and those below the pages that list others."""
    left = {*pages} - {MAP}

    def take(place: str, text: str, links: re.Pattern[str]) -> list[str]:
        own = [to for to in _linked(place, text, links) if to in left]
        left.difference_update(own)
        return own

    headings = [*_PART.finditer(pages[MAP])]
    texts = [pages[MAP][one.end() :] for one in headings]
    parts = {
        one["caption"]: take(MAP, _PART.split(text)[0], _LISTED)
        for one, text in zip(headings, texts, strict=True)
    }
    below = {place: take(place, pages[place], _LINK) for place in LISTS if place in pages}
    return parts, {place: own for place, own in below.items() if own}


def _linked(place: str, text: str, links: re.Pattern[str]) -> Iterator[str]:
    """Yields the pages that a text links to, each once."""
    above, seen = PurePosixPath(place).parent.as_posix(), set()
    for link in links.finditer(text):
        to = normpath(f"{above}/{(link['target'] or '').partition('#')[0]}")
        if to not in seen:
            seen.add(to)
            yield to


def _tree(place: str, pages: list[str], options: str) -> str:
    above = PurePosixPath(place).parent.as_posix()
    listed = "\n".join(relpath(page, above).removesuffix(".md") for page in pages)
    return _TREE.format(options=options, pages=listed)
