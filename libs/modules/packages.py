"""The modules of a package, and where a name of it stands."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pkgutil import walk_packages


@cache
def modules_of(package: str) -> Sequence[str]:
    """Returns the names of a package and of all modules in it."""
    found = walk_packages(import_module(package).__path__, f"{package}.")
    return (package, *(one.name for one in found))


def moved_to(package: str, module: str, name: str) -> str | None:
    """Returns the module of a package that holds a name now; None where the one it is imported from does."""
    if module in modules_of(package) and hasattr(import_module(module), name):
        return None
    for other in modules_of(package)[1:]:
        held = vars(import_module(other))
        if name in held and getattr(held[name], "__module__", other) == other:
            return other
    return None
