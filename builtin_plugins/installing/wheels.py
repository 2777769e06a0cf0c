"""Wheels as files: what they hold, how an installed distribution is made one again, what a kill leaves."""

import base64
import json
import re
import shutil
import sysconfig
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib import metadata
from pathlib import Path, PurePosixPath

from guildhall_sdk.errors import OperatorError

_MIGRATION = re.compile(r"\d{4}_\w+(\.[a-z]\w*)?\.sql")
_NO_WAY_BACK = re.compile(r"--\s*no way back:\s*(.*)")
#: What an installer writes beside what the wheel brought.
_OF_INSTALLER = {"INSTALLER", "REQUESTED", "RECORD", "direct_url.json"}
_SCRIPTS = {"console_scripts", "gui_scripts"}


def files_of(wheel: Path) -> dict[str, bytes]:
    """Reads all files of a wheel by their names in it."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            if strange := [name for name in names if name.startswith("/") or ".." in name.split("/")]:
                raise OperatorError(f"{wheel.name} holds {strange[0]}, which would lie outside of it")
            return {name: archive.read(name) for name in names}
    except (OSError, zipfile.BadZipFile) as fault:
        raise OperatorError(f"{wheel} cannot be read: {fault}") from None


def unpack(wheel: Path, folder: Path) -> None:
    for name, content in files_of(wheel).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def wheel_of_installed(name: str, folder: Path) -> Path:
    """Makes a wheel of a distribution that is installed here, of the files that its RECORD names."""
    found = metadata.distribution(name)
    version = found.version
    direct = json.loads(found.read_text("direct_url.json") or "{}")
    if found.files is None or direct.get("dir_info", {}).get("editable"):
        raise OperatorError(
            f"{name} {version} is installed from its sources, so that nothing could bring it back: "
            "install a wheel of it first, or leave it to pip"
        )
    scripts = {entry.name for entry in found.entry_points if entry.group in _SCRIPTS}
    files = {}
    for path in found.files:
        parts = path.parts
        if "__pycache__" in parts or (parts[0].endswith(".dist-info") and parts[-1] in _OF_INSTALLER):
            continue
        if ".." in parts:
            if path.stem not in scripts:
                raise OperatorError(f"{name} {version} has {path}, which no wheel of it would bring back")
            continue
        try:
            files[path.as_posix()] = Path(str(path.locate())).read_bytes()
        except OSError as fault:
            raise OperatorError(f"{name} {version} is not whole: {fault}; mend it with pip first") from None
    tags = re.search(r"^Tag: (\S+)$", found.read_text("WHEEL") or "", re.MULTILINE)
    label = re.sub(r"[-_.]+", "_", name)
    return write_wheel(folder / f"{label}-{version}-{tags[1] if tags else 'py3-none-any'}.whl", files)


def write_wheel(wheel: Path, files: Mapping[str, bytes]) -> Path:
    """Writes a wheel with a RECORD of its own; the file has its name once it is whole."""
    home = next(name.split("/")[0] for name in files if name.split("/")[0].endswith(".dist-info"))
    record = f"{home}/RECORD"
    kept = {name: content for name, content in files.items() if name != record}
    lines = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in sorted(kept.items())]
    wheel.parent.mkdir(parents=True, exist_ok=True)
    part = wheel.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(kept.items()):
            archive.writestr(name, content)
        archive.writestr(record, "\n".join([*lines, f"{record},,", ""]))
    return part.replace(wheel)


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()


def newer_migrations(older: Path, newer: Path) -> dict[str, bytes]:
    """Returns the migrations of a wheel that an older one does not know."""
    known = files_of(older)
    return {
        name: content
        for name, content in files_of(newer).items()
        if name not in known and _MIGRATION.fullmatch(PurePosixPath(name).name)
    }


def no_way_back(older: Path, newer: Path) -> str | None:
    """Returns why there is no way back from the newer wheel, as the first line of a migration says it."""
    for name, content in sorted(newer_migrations(older, newer).items()):
        first = content.decode("utf-8", "replace").partition("\n")[0]
        if (said := _NO_WAY_BACK.match(first)) is not None:
            return f"{PurePosixPath(name).name} has no way back: {said[1].strip() or 'it does not say why'}"
    return None


def with_newer_migrations(older: Path, newer: Path, folder: Path) -> Path:
    """Returns the older wheel, with the migrations of the newer one: what they made stays, and is known."""
    more = newer_migrations(older, newer)
    return write_wheel(folder / older.name, {**files_of(older), **more}) if more else older


def wipe(wheels: Sequence[Path]) -> None:
    """Removes from this environment all that these wheels may have put there, also half."""
    for site in {Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib")}:
        for wheel in wheels:
            names = files_of(wheel)
            for name in names:
                (site / name).unlink(missing_ok=True)
            for top in {name.split("/")[0] for name in names}:
                if top.endswith(".dist-info"):
                    shutil.rmtree(site / top, ignore_errors=True)
                # Where pip puts aside what it replaces.
                shutil.rmtree(site / f"~{top[1:]}", ignore_errors=True)
            for folder in _emptied(site, names):
                shutil.rmtree(folder / "__pycache__", ignore_errors=True)
                if not any(folder.iterdir()):
                    folder.rmdir()


def _emptied(site: Path, names: Mapping[str, bytes]) -> Iterator[Path]:
    """Yields the folders of a wheel that are there, the innermost first."""
    parents = {parent for name in names for parent in PurePosixPath(name).parents if parent.name}
    for parent in sorted(parents, key=lambda one: -len(one.parts)):
        if (site / parent).is_dir():
            yield site / parent
