"""Builds the site of docs/: `python docs/site/build.py TARGET WORK`.

TARGET is where the server looks for it, and is whole at each moment; WORK is what the next build begins from.
"""

import gzip
import hashlib
import re
import shutil
import sys
from pathlib import Path

from preparing import prepare
from sphinx.cmd.build import main as sphinx

_HERE = Path(__file__).resolve().parent
_INLINE = re.compile(r"<(?P<tag>script|style)>(?P<content>.*?)</(?P=tag)>", re.DOTALL)
_UNUSED = ("_sources", ".buildinfo", ".buildinfo.bak", "objects.inv", "genindex", ".doctrees")
# What the theme says in attributes, which the policy forbids too, and how it can be said otherwise.
_SAID_OTHERWISE = {
    ' style="opacity: 50%"': ' opacity="0.5"',
    ' style="display: none;"': ' class="drawings"',
    # Which heading it is, for who hears the page.
    ' class="caption" role="heading"': ' class="caption" role="heading" aria-level="2"',
    # Wide code scrolls by keys too.
    "<pre>": '<pre tabindex="0">',
}
_FORBIDDEN = re.compile(r"""<(?!code)[^<>]* (?:style|on[a-z]+)=["'][^<>]*>|<script>|<style>""")
_PACKED = {".html", ".js", ".css", ".svg", ".json"}
_WORTH_PACKING = 1_000


def build(target: Path, work: Path) -> None:
    stage, made, finished = work / "pages", work / "html", target.with_name(f"{target.name}.new")
    prepare(stage)
    arguments = ["-b", "dirhtml", "-q", "-W", "--keep-going", "-j", "auto", "-c", str(_HERE)]
    if code := sphinx([*arguments, "-d", str(work / "doctrees"), str(stage), str(made)]):
        raise SystemExit(code)
    shutil.rmtree(finished, ignore_errors=True)
    shutil.copytree(made, finished, ignore=lambda _, names: [name for name in names if name in _UNUSED])
    for page in finished.rglob("*.html"):
        page.write_text(_without_inline(page.read_text("utf-8"), finished), "utf-8")
    for path in [path for path in finished.rglob("*") if path.suffix in _PACKED]:
        _pack(path)
    before = target.with_name(f"{target.name}.before")
    shutil.rmtree(before, ignore_errors=True)
    if target.exists():
        target.rename(before)
    finished.rename(target)
    shutil.rmtree(before, ignore_errors=True)


def _without_inline(page: str, site: Path) -> str:
    """Puts scripts and styles into files of their own: the server's pages allow none in line."""
    root = re.search(r'data-content_root="([^"]*)"', page)
    if root is None:
        raise SystemExit("A page does not say where its site begins: has the theme changed?")

    def move(found: re.Match[str]) -> str:
        content = found["content"].strip()
        name = hashlib.sha256(content.encode()).hexdigest()[:16]
        is_script = found["tag"] == "script"
        path = f"_static/{name}.{'js' if is_script else 'css'}"
        (site / path).write_text(content, "utf-8")
        address = f"{root[1]}{path}?v={name}"
        return (
            f'<script src="{address}"></script>' if is_script else f'<link rel="stylesheet" href="{address}">'
        )

    page = _INLINE.sub(move, page)
    for said, otherwise in _SAID_OTHERWISE.items():
        page = page.replace(said, otherwise)
    if left := _FORBIDDEN.search(page):
        raise SystemExit(f"The policy of the server's pages forbids {left[0]!r}: has the theme changed?")
    return page


def _pack(path: Path) -> None:
    """Lays a packed twin beside a file, for browsers that take it."""
    content = path.read_bytes()
    packed = gzip.compress(content, 9, mtime=0)
    if len(content) >= _WORTH_PACKING and len(packed) < len(content):
        path.with_name(f"{path.name}.gz").write_bytes(packed)


if __name__ == "__main__":
    build(*(Path(place).resolve() for place in sys.argv[1:3]))
