"""The public modules, which a plugin may import, and the versions of the API that a server takes."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import guildhall_sdk
from guildhall_sdk.plugin import API_VERSION

#: A plugin written for any of these is let in.
OLDEST_API = 1
NEWEST_API = API_VERSION

#: Words of earlier versions, and what to write instead: a plugin with one of them is told so, and stays out.
GONE: Mapping[str, str] = json.loads(Path(__file__).with_name("gone.json").read_text("utf-8"))


@cache
def modules() -> Sequence[str]:
    """Returns the modules that a plugin may import."""
    found = walk_packages(guildhall_sdk.__path__, f"{guildhall_sdk.__name__}.")
    return (guildhall_sdk.__name__, *(one.name for one in found))


def moved_to(module: str, name: str) -> str | None:
    """Returns the module that holds a name now, or None where the one it is imported from does."""
    if module in modules() and hasattr(import_module(module), name):
        return None
    for other in modules()[1:]:
        held = vars(import_module(other))
        if name in held and getattr(held[name], "__module__", other) == other:
            return other
    return None
