"""The files that a page of the documentation shows, to be run as they stand there."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def files_of(page, plugin_id, folder):
    """Writes the directory plugin that a page shows into the folder, with a manifest if it shows none."""
    text = (ROOT / page).read_text("utf-8")
    shown = re.findall(rf"<!-- file: ({re.escape(plugin_id)}/\S+) -->\n```\w+\n(.*?)```", text, re.DOTALL)
    assert shown, f"{page} shows no file of {plugin_id}"
    fields = {"id": plugin_id, "name": plugin_id, "version": "1", "description": "x", "entry": "plugin.py"}
    for name, content in [(f"{plugin_id}/plugin.json", json.dumps(fields)), *shown]:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")


_REQUEST = re.compile(r"```http\n(\w+) ([^\n]+)\n(.*?)```(?:\n\n```json\n(.*?)```)?", re.DOTALL)


def requests_of(page):
    """Returns the requests that a page shows: method, path, body as text, and the answer or an empty text."""
    return _REQUEST.findall((ROOT / page).read_text("utf-8"))


def fits(value, shown):
    """Tells whether an answer is as a page shows it; `…` ends a text of which only the beginning is told."""
    if isinstance(shown, str) and shown.endswith("…"):
        return shown == "…" or str(value).startswith(shown[:-1])
    if isinstance(shown, dict):
        return value.keys() == shown.keys() and all(fits(value[name], shown[name]) for name in shown)
    if isinstance(shown, list):
        return len(value) == len(shown) and all(map(fits, value, shown))
    return value == shown
