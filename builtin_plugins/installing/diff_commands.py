"""Two versions of a plugin compared, and `guildhall plugin diff`: what the newer one adds and takes away."""

import argparse
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from builtin_plugins.installing.approvals import PLUGIN_ENTRIES
from guildhall_sdk.commands import StandaloneHost
from guildhall_sdk.errors import OperatorError
from libs.source_distribution import NoProject, describe, entries_of, entries_of_installed, is_project

_SAME, _DIFFERENT = 0, 1


def diff_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Tries two versions of a plugin out, and lists what the newer one adds and takes away: routes, "
        "permissions, job kinds, settings, migrations, hooks and all else that it declares. "
        "Exits 0 where nothing differs, and 1 where something does."
    )
    what = "a wheel, a folder with a pyproject.toml or a plugin.json, or the id of an installed plugin"
    parser.add_argument("old", help=what)
    parser.add_argument("new", help="the same of the newer version")


def diff(options: argparse.Namespace, _host: StandaloneHost) -> int:
    old, new = _described(options.old), _described(options.new)
    print(f"{title(old)} → {title(new)}")
    lines = [*differences(old, new)]
    for line in lines or ["nothing differs"]:
        print(line)
    return _DIFFERENT if lines else _SAME


def title(described: Mapping[str, Any]) -> str:
    return f"{described['id']} {described['version']}"


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Yields a line for each difference: `+` is new, `-` is gone, `!` must not be."""
    before, now = old["contents"], new["contents"]
    for label in sorted({*before, *now}):
        yield from _changes(label, before.get(label, ()), now.get(label, ()))
    yield from _changes("implements", old["hooks"], new["hooks"])
    for name, digest in sorted(old["migrations"].items()):
        if new["migrations"].get(name, digest) != digest:
            yield f"! {'migration':20} {name} was changed: an instance that has applied it refuses the plugin"


def _changes(label: str, before: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    yield from (f"- {label:20} {name}" for name in sorted({*before} - {*now}))
    yield from (f"+ {label:20} {name}" for name in sorted({*now} - {*before}))


def _described(version: str) -> dict[str, Any]:
    with TemporaryDirectory(prefix="guildhall-diff-") as folder:
        plugin, path = _found(version, Path(folder))
        return described(plugin, path, version)


def described(plugin: str, path: Sequence[str] = (), title: str = "") -> dict[str, Any]:
    """Tries one version out in a process of its own: two of a plugin cannot be loaded in one."""
    title = title or plugin
    more = {"PYTHONPATH": os.pathsep.join(path)} if path else {}
    done = subprocess.run(  # noqa: S603 - our own
        [Path(sys.executable).with_name("guildhall"), "plugin", "check", plugin, "--json"],
        env={**os.environ, **more},
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.stdout.startswith("{"):
        raise OperatorError(f"{title}: {(done.stdout + done.stderr).strip()}")
    found: dict[str, Any] = json.loads(done.stdout)
    if found["status"] != "loaded":
        reasons = "; ".join(f"[{one['rule']}] {one['text']}" for one in found["findings"])
        raise OperatorError(f"{title} would not be let in: {reasons}")
    return found


def _found(version: str, folder: Path) -> tuple[str, Sequence[str]]:
    """Returns the plugin's id, or its folder, and what goes in front of the path of modules."""
    given = Path(version)
    try:
        if given.suffix == ".whl":
            with zipfile.ZipFile(given) as wheel:
                wheel.extractall(folder)
            return only(entries_of_installed(folder, PLUGIN_ENTRIES), version), [str(folder)]
        if is_project(given) and not (given / "plugin.json").exists():
            home = given.resolve()
            return only(entries_of(home, PLUGIN_ENTRIES), version), describe(home, folder)
    except (NoProject, OSError, zipfile.BadZipFile) as fault:
        raise OperatorError(f"{version} cannot be read: {fault}") from None
    return version, ()


def only(names: Sequence[str], version: str) -> str:
    if len(names) != 1:
        raise OperatorError(f"{version} holds {len(names)} plugins: give one with a single plugin")
    return names[0]
