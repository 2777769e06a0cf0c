"""The catalogs that plugins ship, judged when the plugin is admitted."""

import re
from functools import lru_cache
from pathlib import Path

from builtin_plugins.l10n.catalogs.files import SHIPPED, FileFault, Texts, namespace_of, read_folder
from builtin_plugins.l10n.catalogs.fitting import misfit
from builtin_plugins.l10n.catalogs.tags import SOURCE
from guildhall_sdk.hooks import Declarer
from guildhall_sdk.services.localization import MessageCatalogs

_NAMESPACE = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def contribution_fault(catalogs: MessageCatalogs, declarer: Declarer) -> str | None:
    """Returns what is wrong with the catalogs that a plugin ships, and in which file, or None."""
    if not isinstance(catalogs.folder, Path):
        return f"the folder {catalogs.folder!r} must be a Path, such as Path(__file__).with_name('locales')"
    if _NAMESPACE.fullmatch(catalogs.namespace) is None:
        return f"the namespace {catalogs.namespace!r} is not a plugin's id"
    if catalogs.namespace in _shipped_namespaces():
        return f"the namespace {catalogs.namespace} is one of Guildhall's own; use the plugin's id"
    faults: list[FileFault] = []
    found = {locale: (file, texts) for file, locale, texts in read_folder(catalogs.folder, faults)}
    if faults:
        return str(faults[0])
    if SOURCE not in found:
        return f"there is no {SOURCE}.json in the folder {catalogs.folder.name}"
    source = found[SOURCE][1]
    faulty = (_texts_fault(catalogs.namespace, file, texts, source) for file, texts in found.values())
    return next((fault for fault in faulty if fault), None)


def _texts_fault(namespace: str, file: str, texts: Texts, source: Texts) -> str | None:
    for key, text in texts.items():
        if namespace_of(key) != namespace:
            return f"{file} has the key {key}, which does not begin with {namespace}."
        if key not in source:
            return f"{file} has the key {key}, which {SOURCE}.json has not"
        if fault := misfit(source[key], text):
            return f"{file} has a text at {key} that cannot be shown: {fault}"
    return None


@lru_cache(1)
def _shipped_namespaces() -> frozenset[str]:
    return frozenset(namespace_of(key) for _, _, texts in read_folder(SHIPPED, []) for key in texts)
