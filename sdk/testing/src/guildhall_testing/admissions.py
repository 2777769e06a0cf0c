"""Admissions that the servers of a process share: what is installed is let in once."""

import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kernel.config import Settings, shipped_plugins
from kernel.declarations.table import DECLARATIONS
from kernel.plugins.admission import Admission, admit
from kernel.plugins.discovery import MANIFEST, Candidate, directory, given
from kernel.registry import Registry


class Admissions:
    """Lets in what settings find, and `plugins`. What is installed, ships or is in `folders` stays."""

    def __init__(self, plugins: Sequence[Any] = (), folders: Sequence[Path] = ()) -> None:
        self._plugins = plugins
        self._lasting = {shipped_plugins(), *folders}
        self._shared: dict[object, tuple[Admission, int]] = {}

    def of(self, settings: Settings, more: Sequence[Any] = (), *, strict: bool = True) -> Admission:
        """Returns one that others may have too, but for plugins that are not in the folders that last."""
        lasting = tuple(folder for folder in settings.plugins if folder in self._lasting)
        further = _candidates_in([folder for folder in settings.plugins if folder not in self._lasting])
        if further is not None:
            shared = self._admitted(replace(settings, plugins=lasting), strict=strict)
            if not further and not more:
                return shared
            # One of theirs may be what is missing, or stand in the place of another.
            twice = shared.registry.plugin_ids() & {one.id for one in further}
            if not (shared.registry.refused or settings.plugins_blocked or twice):
                return _extended(shared, [*further, *map(given, more)])
        return admit(settings, [*self._plugins, *more], strict=strict)

    def _admitted(self, settings: Settings, *, strict: bool) -> Admission:
        scheme = settings.database_url.partition(":")[0]  # whose engine is essential
        key = scheme, settings.blob_store, settings.plugins_blocked, settings.plugins, strict
        admission, members = self._shared.get(key, (None, 0))
        if admission is None or len(admission.registry.plugins) != members:  # one was taken out at a start
            admission = admit(settings, self._plugins, strict=strict)
            admission.slow_imports.clear()
            self._shared[key] = admission, len(admission.registry.plugins)
        return admission


def _candidates_in(folders: Sequence[Path]) -> list[Candidate] | None:
    """Returns the plugins of the folders, by id; None where one is no folder of plugins."""
    if any((folder / MANIFEST).is_file() or not folder.is_dir() for folder in folders):
        return None
    homes = [path for folder in folders for path in sorted(folder.iterdir()) if (path / MANIFEST).is_file()]
    return sorted(map(directory, homes), key=lambda candidate: candidate.id)


def _extended(admission: Admission, candidates: Sequence[Candidate]) -> Admission:
    """Returns one with the same plugins in, and with those that come to them."""
    extended = copy.copy(admission)
    for name, value in vars(admission).items():
        if isinstance(value, dict):
            setattr(extended, name, value.copy())
    extended.hooks = admission.hooks.copy()
    extended.registry = Registry(admission.registry.plugins, DECLARATIONS)
    extended.registry.refused += admission.registry.refused
    extended.registry.installed |= admission.registry.installed
    extended.admit_all(candidates)
    return extended
