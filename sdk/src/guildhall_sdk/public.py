"""The versions of the API that a server takes, and words of it that are gone or will be."""

import json
import logging
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

from guildhall_sdk.plugin import API_VERSION

#: A plugin written for any of these is let in.
OLDEST_API = 1
NEWEST_API = API_VERSION

#: Words of earlier versions, and what to write instead: a plugin with one of them is told so, and stays out.
GONE: Mapping[str, str] = json.loads(Path(__file__).with_name("gone.json").read_text("utf-8"))


_OURS = ("guildhall_sdk", "kernel")
_PACKAGES = ("guildhall_directory_plugins", "builtin_plugins")
_log = logging.getLogger("guildhall.plugins")
_warned: set[tuple[str, str]] = set()


class PluginDeprecation(DeprecationWarning):
    """The warning that a plugin uses what the next version of the API no longer has."""


def deprecated(word: str, *, instead: str, gone_in: int) -> None:
    """Warns of the caller's use of `word`, once for each plugin in the log; call it where the word is used.

    `gone_in` is the version of the API that no longer has it.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _module_of(frame).partition(".")[0] in _OURS:
        frame = frame.f_back
    if frame is None:
        return
    plugin = _plugin_of(_module_of(frame))
    place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    text = f"the plugin {plugin} uses {word}, which is gone in API {gone_in}; use {instead} ({place})"
    warnings.warn_explicit(text, PluginDeprecation, frame.f_code.co_filename, frame.f_lineno)
    if (plugin, word) not in _warned:
        _warned.add((plugin, word))
        fields = {"plugin": plugin, "word": word, "instead": instead, "gone_in": gone_in, "at": place}
        _log.warning("plugin.deprecated", extra={"fields": fields})


def _module_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _plugin_of(module: str) -> str:
    """Returns the id of a plugin in a folder or of ours; else the package, which its distribution names."""
    first, _, rest = module.partition(".")
    return rest.partition(".")[0] if first in _PACKAGES and rest else first
