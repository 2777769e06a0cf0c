"""The modules of a package, and where a name of it stands."""

from collections.abc import Collection, Sequence, Set
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
    holders = [other for other in modules_of(package) if name in vars(import_module(other))]
    own = [other for other in holders if _is_made_in(other, name)]
    # What knows no module, such as an alias of a type, is taken from the first that has it.
    return next(iter(own or holders), None)


def _is_made_in(module: str, name: str) -> bool:
    return getattr(vars(import_module(module))[name], "__module__", None) == module


def belongs(name: str, module: str, shared: Set[str] = frozenset()) -> bool:
    """Tells whether a module is another's: that itself, below it, or beside it in a package of its own.

    In the packages that are `shared` each module stands for itself.
    """
    package = module.rpartition(".")[0]
    is_beside = package and package not in shared and name.startswith(f"{package}.")
    return name == module or name.startswith(f"{module}.") or bool(is_beside)


def owner_among(modules: Collection[str], name: str, shared: Set[str] = frozenset()) -> str | None:
    """Returns the module that one belongs to: of several in a package, the one that it stands in."""
    around = name
    while around:
        if around in modules:
            return around
        around = around.rpartition(".")[0]
    return max((one for one in modules if belongs(name, one, shared)), key=len, default=None)
