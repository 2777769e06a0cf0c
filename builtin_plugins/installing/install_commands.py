"""`guildhall plugin install` and `guildhall plugin rollback`: shown, agreed to, and put in place whole."""

import argparse
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from builtin_plugins.installing import pip
from builtin_plugins.installing.approvals import PLUGIN_ENTRIES, WIDENING, widening
from builtin_plugins.installing.diff_commands import described, differences, only
from builtin_plugins.installing.installations import held
from builtin_plugins.installing.journal import plugins_folder
from builtin_plugins.installing.signatures import Signatures, signatures_of
from builtin_plugins.installing.wheels import unpack
from guildhall_sdk.commands import CommandHost
from guildhall_sdk.errors import OperatorError
from libs.source_distribution import entries_of_installed

#: No plugin brings the server itself, nor what plugins are written against.
_OURS = {"guildhall-server", "guildhall-sdk"}


def install_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Fetches a plugin with pip, as wheels; says what it declares and, where an older version is "
        "installed, what changes and what widens; asks, and puts it in place. A running server goes on with "
        "what it has until its restart. A version that does not start is taken back by the start after it."
    )
    parser.add_argument("plugin", help="the name of a distribution, or a wheel")
    parser.add_argument("--no-index", action="store_true", help="look at no package index")
    parser.add_argument(
        "--find-links", action="append", default=[], metavar="DIR", help="look for wheels here as well"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")


def rollback_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Puts the version back that was there before the last `guildhall plugin install` of a plugin. What "
        "newer migrations made stays; where one says that there is no way back, nothing is changed."
    )
    parser.add_argument("plugin", help="the id of a plugin")


def install(options: argparse.Namespace, host: CommandHost) -> int:
    signatures = signatures_of(os.environ)
    folder = plugins_folder(host.settings.data)
    with held(folder):
        pass  # what a killed one left is in order, before anything is compared with it
    with TemporaryDirectory(prefix="coming-", dir=folder) as name:
        coming = pip.fetch(options.plugin, _pip_options(options), Path(name))
        if not coming:
            print(f"{options.plugin} is installed already")
            return 0
        if ours := [one.name for one in coming if one.name in _OURS]:
            raise OperatorError(f"{options.plugin} wants another {ours[0]}: update the server first")
        signed = [_signed(one, signatures) for one in coming]
        plugin, new = _new_version(coming, Path(name, "unpacked"))
        was = {one.name: pip.installed_version(one.name) for one in coming}
        asked_for = next(one for one in coming if one.requested)
        old = _old_version(plugin) if was[asked_for.name] else None
        widened = _show(old, new)
        for one in coming:
            if one is not asked_for:
                instead = f" instead of {was[one.name]}" if was[one.name] else ""
                print(f"brings {one.name} {one.version}{instead}")
        for one, by in zip(coming, signed, strict=True):
            if signatures.keys and not by:
                print(f"{one.name} {one.version} is not signed")
        if not options.yes and not _agreed():
            print("nothing was installed")
            return 1
        with held(folder) as installations:
            act = installations.install(plugin, coming, was)
            act.agreed = widening(new["contents"])
            act.detail = {"version": new["version"], "widened": widened, "signed": all(signed)}
            installations.carry_out(act, "plugin.installed")
    back = f"; back again: guildhall plugin rollback {plugin}" if old else ""
    print(f"{plugin} {new['version']} is installed, and there with the server's next start{back}")
    return 0


def rollback(options: argparse.Namespace, host: CommandHost) -> int:
    signatures = signatures_of(os.environ)
    with held(plugins_folder(host.settings.data)) as installations:
        act = installations.last_act(options.plugin)
        if act is None:
            raise OperatorError(f"no install of {options.plugin} by `guildhall plugin install` is known here")
        back = installations.roll_back(act, signatures)
    for one in back.changes:
        print(f"{one.name} {one.new_version} is back, and there with the server's next start")
    return 0


def _pip_options(options: argparse.Namespace) -> Sequence[str]:
    links = [word for place in options.find_links for word in ("--find-links", place)]
    return [*(["--no-index"] if options.no_index else []), *links]


def _signed(coming: pip.Coming, signatures: Signatures) -> bool:
    """Checks a wheel by the signature that lies beside where it came from, and stores that with it."""
    beside = coming.source and coming.source.with_name(f"{coming.source.name}.sig")
    stands = signatures.check(coming.wheel, beside)
    if beside is not None and beside.exists():
        shutil.copyfile(beside, coming.wheel.with_name(f"{coming.wheel.name}.sig"))
    return stands is not None


def _new_version(coming: Sequence[pip.Coming], folder: Path) -> tuple[str, Mapping[str, Any]]:
    """Tries out what would be there; returns the id of the plugin, and what it declares."""
    for one in coming:
        unpack(one.wheel, folder / one.name)
    asked_for = next(one for one in coming if one.requested)
    title = f"{asked_for.name} {asked_for.version}"
    plugin = only(entries_of_installed(folder / asked_for.name, PLUGIN_ENTRIES), title)
    return plugin, described(plugin, [str(folder / one.name) for one in coming], title)


def _old_version(plugin: str) -> Mapping[str, Any] | None:
    """Returns what the installed version declares; None where it is broken, and all of the new one is new."""
    try:
        return described(plugin)
    except OperatorError:
        return None


def _show(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> list[str]:
    """Prints what changes, or what all there is; returns what widens."""
    before = old or {"contents": {}, "hooks": (), "migrations": {}}
    from_version = f"{old['version']} → " if old else ""
    print(f"{new['id']} {from_version}{new['version']}")
    lines = [*differences(before, new)]
    widened = []
    for line in lines or ["it declares nothing else than before"]:
        widens = old is not None and line.startswith("+ ") and line[2:].startswith(WIDENING)
        if widens:
            widened.append(" ".join(line[2:].split()))
        print(f"{line}  (widens)" if widens else line)
    return widened


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise OperatorError("nobody is there to ask; say --yes to install it")
    return input("Install it? [y/N] ").strip().lower() in {"y", "yes"}
