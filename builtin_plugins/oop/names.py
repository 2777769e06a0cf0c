"""The name of an out-of-process plugin's tool among all tools."""

import hashlib
import re

MAX_NAME = 64
_HEAD = 53
_OTHER = re.compile(r"[^a-z0-9_]")


def tool_name(plugin_id: str, tool: str) -> str:
    """`oop__<plugin>__<tool>` in small letters; a long one ends in a digest of the whole."""
    whole = f"oop__{_plain(plugin_id)}__{_plain(tool)}"
    if len(whole) <= MAX_NAME:
        return whole
    return f"{whole[:_HEAD]}_{hashlib.sha256(whole.encode()).hexdigest()[:10]}"


def _plain(text: str) -> str:
    return _OTHER.sub("_", text.lower())
