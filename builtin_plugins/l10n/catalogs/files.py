"""Catalog files: `<locale>.json`, one object of messages by key, as shipped, contributed and exported."""

import os
import re
import stat
import time
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from builtin_plugins.l10n.catalogs.tags import SOURCE, tag_fault
from guildhall_sdk.hooks import Declarer
from guildhall_sdk.services.localization import MessageCatalogs
from libs.fair_slots import Steps
from libs.icu_messages import MessageFault, argument_differences, parse_message
from libs.strict_json import JsonFault, decode_json

_BARE = re.compile(r"\{([A-Za-z]\w{0,63})\}", re.ASCII)

MAX_FILE_BYTES = 8 * 1024 * 1024
MAX_KEY = 200
MAX_TEXT = 10_000
SHIPPED = Path(__file__).parent.parent / "texts"
_OURS = Path(__file__).parents[2]
#: Below the data folder: the exported copies, and what an operator lays over the shipped files.
OVERLAY = "locales"
# A file may change again within one tick of the clock that its times are taken from.
_TICK_NS = 2 * 10**9
_KEY = re.compile(r"[a-z0-9][a-z0-9_-]*(\.[A-Za-z0-9_-]+)+")
Texts = Mapping[str, str]
_NAMESPACE = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def fits(source: str, text: str) -> bool:
    """Tells whether a text compiles and takes the arguments of its source."""
    # Every change of one text asks again for all of them: most are told without taking them apart.
    if not ("{" in source or "{" in text or "}" in source or "}" in text):
        return True
    wanted, given = bare_arguments(source), bare_arguments(text)
    if wanted is None or given is None:
        return misfit(source, text) is None
    return wanted == given


def bare_arguments(text: str) -> set[str] | None:
    """Returns the arguments of a text that has none but bare ones, such as `{name}`; None for any other."""
    if "'" in text:
        return None
    pieces = _BARE.split(text)
    beside = "".join(pieces[::2])
    return None if "{" in beside or "}" in beside else {*pieces[1::2]}


@lru_cache(32_768)
def misfit(source: str, text: str) -> str | None:
    """Returns why a text cannot stand for its source, or None."""
    try:
        differences = argument_differences(parse_message(source), parse_message(text))
    except MessageFault as fault:
        return str(fault)
    return differences[0] if differences else None


class FileFault(NamedTuple):
    """Something in a folder of catalogs that was not taken: the file, and why."""

    file: str
    problem: str

    def __str__(self) -> str:
        return f"{self.file} {self.problem}"


class DiskCatalogs(NamedTuple):
    """What the files say: ICU messages by language and key, and what of the files could not be taken.

    `locales` are the languages to choose from: those of the shipped files, and of the overlay.
    """

    texts: Mapping[str, Texts]
    locales: Sequence[str]
    faults: Sequence[FileFault] = ()

    @property
    def source(self) -> Texts:
        """The English messages, which decide which keys there are."""
        return self.texts.get(SOURCE, {})


@dataclass(slots=True)
class _Reading:
    """What has been read so far."""

    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    faults: list[FileFault] = field(default_factory=list)

    def add(self, locale: str, texts: Mapping[str, str]) -> None:
        self.texts.setdefault(locale, {}).update(texts)


def read_catalogs(
    contributed: Sequence[tuple[str, MessageCatalogs]], overlay: Path, shipped: Path = SHIPPED
) -> Steps[DiskCatalogs]:
    """Reads the shipped catalogs, those of plugins beside them, and over both the overlay.

    The keys of plugins that ship have the namespaces that they were first translated in. What is broken, too
    large or a link is left out and named in `faults`. A translation keeps the keys of the source alone; its
    texts are not checked here. This reads files: take the steps on a thread.
    """
    reading = _Reading()
    for _, locale, texts in read_folder(shipped, reading.faults):
        reading.add(locale, texts)
        yield
    shipped_locales = tuple(reading.texts)
    for _, catalogs in contributed:
        if is_ours(catalogs):
            for _, locale, texts in read_folder(catalogs.folder, reading.faults):
                reading.add(locale, texts)
            yield
    taken = {namespace_of(key) for key in reading.texts.get(SOURCE, {})}
    for plugin_id, catalogs in contributed:
        if not is_ours(catalogs):
            _add_contributed(reading, plugin_id, catalogs, taken)
            yield
    locales = [*shipped_locales]
    for file, locale, texts in read_folder(overlay, reading.faults):
        reading.add(locale, _compiling(file, texts, reading.faults) if locale == SOURCE else texts)
        locales.append(locale)
        yield
    source = reading.texts.get(SOURCE, {})
    merged = {
        locale: {key: text for key, text in texts.items() if key in source}
        for locale, texts in reading.texts.items()
    }
    return DiskCatalogs(merged, tuple(dict.fromkeys(locales)), tuple(reading.faults))


def is_ours(catalogs: MessageCatalogs) -> bool:
    """Tells whether catalogs ship with Guildhall, whose tests read them all."""
    return catalogs.folder.is_relative_to(_OURS)


def files_mark(contributed: Sequence[tuple[str, MessageCatalogs]], overlay: Path) -> Hashable:
    """Returns what is the same while no catalog file is another; None where that cannot be told yet."""
    found = []
    try:
        for folder in (SHIPPED, *(catalogs.folder for _, catalogs in contributed), overlay):
            found += [(str(folder), *one) for one in sorted(_marks(folder))]
    except OSError:
        return None
    newest = max((one[-1] for one in found), default=0)
    return tuple(found) if newest < time.time_ns() - _TICK_NS else None


def _marks(folder: Path) -> Iterable[tuple[str, int, int, int, int]]:
    try:
        with os.scandir(folder) as entries:
            found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
    except FileNotFoundError:
        return ()
    return [
        (name, of.st_ino, of.st_size, of.st_mtime_ns, of.st_ctime_ns)
        for name, of in found
        if _is_catalog(name)
    ]


def namespace_of(key: str) -> str:
    """Returns what stands before the first dot of a key."""
    return key.partition(".")[0]


def _add_contributed(reading: _Reading, plugin_id: str, catalogs: MessageCatalogs, taken: set[str]) -> None:
    if catalogs.namespace != plugin_id or catalogs.namespace in taken:
        problem = f"cannot be the namespace of the plugin {plugin_id}: that is its id, and no other's"
        reading.faults.append(FileFault(catalogs.namespace, problem))
        return
    for _, locale, texts in read_folder(catalogs.folder, reading.faults):
        own = {key: text for key, text in texts.items() if namespace_of(key) == catalogs.namespace}
        reading.add(locale, own)


def _compiling(file: str, texts: Texts, faults: list[FileFault]) -> Texts:
    """Leaves out sources that no program could show: what is below them stands."""
    wrong = {key: fault for key, text in texts.items() if (fault := compile_fault(text))}
    faults += [
        FileFault(file, f"has a text at {key} that is no ICU message: {fault}")
        for key, fault in wrong.items()
    ]
    return {key: text for key, text in texts.items() if key not in wrong}


def compile_fault(text: str) -> str | None:
    if bare_arguments(text) is not None:
        return None
    try:
        parse_message(text)
    except MessageFault as fault:
        return str(fault)
    return None


def read_folder(folder: Path, faults: list[FileFault]) -> Iterator[tuple[str, str, Texts]]:
    """Yields the name, the language and the texts of each file; a folder that is not there has none."""
    try:
        names = sorted(path.name for path in folder.iterdir() if _is_catalog(path.name))
    except FileNotFoundError:
        return
    except OSError as error:
        faults.append(FileFault(folder.name, f"cannot be read: {error.strerror}"))
        return
    # The source first, as it is the one that others are compared with.
    for name in sorted(names, key=lambda name: name != f"{SOURCE}.json"):
        locale = name.removesuffix(".json")
        try:
            if fault := tag_fault(locale):
                raise ValueError(f"is not named for a language: {locale} {fault}")
            texts = _texts_of(folder / name)
        except ValueError as error:
            faults.append(FileFault(name, str(error)))
        except OSError as error:
            faults.append(FileFault(name, f"cannot be read: {error.strerror}"))
        else:
            yield name, locale, texts


def _is_catalog(name: str) -> bool:
    return name.endswith(".json") and not name.startswith(".")


def _texts_of(path: Path) -> Texts:
    """Raises `ValueError` with what is wrong."""
    try:
        found = decode_json(_read_bounded(path))
    except JsonFault as error:
        raise ValueError(f"is no JSON: {error.detail}") from None
    if not isinstance(found, dict):
        raise ValueError("must be one object of texts by key")
    for key, text in found.items():
        if len(key) > MAX_KEY or _KEY.fullmatch(key) is None:
            raise ValueError(f"has the key {key[:MAX_KEY]!r}, which is not like nav.notes")
        if not isinstance(text, str) or not text:
            raise ValueError(f"has something else than a text at {key}")
        if len(text) > MAX_TEXT:
            raise ValueError(f"has a text of more than {MAX_TEXT:,} characters at {key}")
    return found


def _read_bounded(path: Path) -> bytes:
    """Reads a plain file; a link, a device and what is too large are refused."""
    if path.is_symlink():
        raise ValueError("is a symbolic link, which is not followed")
    # Without waiting: a pipe would never open.
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise ValueError("is not a plain file")
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise ValueError(f"is larger than {MAX_FILE_BYTES // 1024 // 1024} MiB")
    return content


def contribution_fault(catalogs: MessageCatalogs, declarer: Declarer) -> str | None:
    """Returns what is wrong with the catalogs that a plugin ships, and in which file, or None."""
    if not isinstance(catalogs.folder, Path):
        return f"the folder {catalogs.folder!r} must be a Path, such as Path(__file__).with_name('locales')"
    if is_ours(catalogs):
        return None
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
    folders = sorted(_OURS.glob("*/texts"))
    return frozenset(
        namespace_of(key) for folder in folders for _, _, texts in read_folder(folder, []) for key in texts
    )
