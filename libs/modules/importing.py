"""Files imported as packages."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType


def import_file(name: str, path: Path, on_forget: Callable[[str], object] = lambda name: None) -> ModuleType:
    """Imports a file as a package of its own, so that its neighbours import relatively.

    What had the name before is forgotten, and so is one that cannot be imported; `on_forget` hears of both.
    Raises `ImportError` for what is no Python file.
    """
    folders = [str(path.parent)]
    specification = importlib.util.spec_from_file_location(name, path, submodule_search_locations=folders)
    if specification is None or specification.loader is None:
        raise ImportError(f"{path.name} cannot be imported")
    module = importlib.util.module_from_spec(specification)
    if name in sys.modules:
        forget(name)
        on_forget(name)
    sys.modules[name] = module
    try:
        specification.loader.exec_module(module)
    except BaseException:
        forget(name)
        on_forget(name)
        raise
    return module


def forget(name: str) -> None:
    """Removes a module and those below it from what is imported."""
    for loaded in [key for key in sys.modules if f"{key}.".startswith(f"{name}.")]:
        del sys.modules[loaded]
