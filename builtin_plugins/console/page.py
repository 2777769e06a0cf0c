"""The first page, with the title of this hostname in it before anything is drawn."""

import html
import re
from functools import lru_cache
from pathlib import Path

_TITLE = re.compile(r"<title>[^<]{0,200}</title>")
_NOTICE = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Guildhall</title></head>
<body>
<h1>{title}</h1>
<p>The server is running. {remedy}</p>
<p>The API is there: <a href="/api/docs">its documentation</a>.</p>
</body>
</html>
"""
_NOT_BUILT = _NOTICE.format(
    title="The console is not built yet",
    remedy="To build its console, install Node 20 and run <code>make console</code>; then start it again.",
)
SPEECHLESS = _NOTICE.format(
    title="The console has no texts",
    remedy="The plugin <code>l10n</code>, which has them, is not loaded: <code>/api/plugins</code> says why.",
)


def read_page(built: Path, title: str) -> str:
    """Returns the page with a title; without a build, one that says how to make it."""
    return _TITLE.sub(lambda _: f"<title>{html.escape(title)}</title>", _read(built / "index.html"), count=1)


def _read(path: Path) -> str:
    try:
        return _contents(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        return _NOT_BUILT


@lru_cache(maxsize=2)
def _contents(path: Path, changed_at: int) -> str:
    return path.read_text(encoding="utf-8")
