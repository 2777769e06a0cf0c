"""pip in the environment of this server: what it would bring, fetched as wheels, and put in place."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlsplit

from guildhall_sdk.errors import OperatorError

_PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
_SERVER = "guildhall-server"


@dataclass(frozen=True, slots=True)
class Coming:
    """A distribution that pip would put in place, as a wheel that was fetched."""

    name: str
    version: str
    wheel: Path
    #: The file that it was fetched from, where it was one of this machine.
    source: Path | None
    #: Whether it is what was asked for, and not only needed by it.
    requested: bool


def fetch(target: str, options: Sequence[str], folder: Path) -> list[Coming]:
    """Fetches the wheels that pip would install for a name or a wheel; what is installed stays as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    report, limits = folder / "report.json", folder / "constraints.txt"
    limits.write_text("\n".join([*_limits_of_server(), ""]))
    tried = ["--dry-run", "--upgrade", "--only-binary", ":all:"]
    _run(["install", "-q", *tried, "--report", str(report), "-c", str(limits), *options, target])
    coming = []
    for number, one in enumerate(json.loads(report.read_text())["install"]):
        info, described = one["download_info"], one["metadata"]
        place = folder / str(number)
        parts = urlsplit(info["url"])
        source = Path(unquote(parts.path)) if parts.scheme == "file" else None
        if source:
            place.mkdir()
            shutil.copyfile(source, place / source.name)
        else:
            digest = info.get("archive_info", {}).get("hashes", {}).get("sha256")
            url = f"{info['url']}#sha256={digest}" if digest else info["url"]
            _run(["download", "-q", "--no-deps", "-d", str(place), url])
        (wheel,) = place.glob("*.whl")
        name = normalized(described["name"])
        coming.append(Coming(name, described["version"], wheel, source, bool(one["requested"])))
    return coming


def _limits_of_server() -> Iterator[str]:
    """Yields what the server itself needs: no plugin brings it another version of that."""
    for line in metadata.requires(_SERVER) or ():
        requirement, _, marker = line.partition(";")
        if "extra ==" not in marker and "[" not in requirement:
            yield line


def put(wheels: Sequence[Path], *flags: str) -> None:
    """Installs these wheels and nothing else."""
    if wheels:
        _run(["install", "-q", "--no-index", "--no-deps", *flags, *map(str, wheels)])


def installed_version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _run(words: Sequence[str]) -> None:
    done = subprocess.run([*_PIP, *words], capture_output=True, text=True, check=False)  # noqa: S603 - our own
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or [done.stdout.strip()]
        errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
        raise OperatorError("pip: " + "; ".join(line.removeprefix("ERROR: ") for line in errors))
