"""`guildhall plugin`: what is there, whether a plugin would be let in, and what a removed one left behind."""

import argparse
import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from builtin_plugins.operations.plugin_records import (
    REMOVED,
    Names,
    PluginRecord,
    Remains,
    find_remains,
    read_records,
    remove,
)
from builtin_plugins.operations.plugin_rules import MIGRATION_CHANGED, Finding, broken_rules, refusal
from builtin_plugins.operations.plugin_states import known_records, plugin_states
from guildhall_sdk import Actor, Command, Problem
from guildhall_sdk.commands import CommandHost
from guildhall_sdk.data import Data
from guildhall_sdk.engines.engine import InstanceTables
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.plugin import PluginStorage, PluginTrial, PluginUpkeep
from guildhall_sdk.services.server import InstanceFacts
from libs.source_distribution import NoProject, describe, entries_of, is_project
from libs.source_reading import marked_functions, modules_in

_ACTOR = "operator at the machine"
#: What the entry points of plugins are called.
PLUGIN_ENTRIES = "guildhall.plugins"


def _check_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Tries a plugin out in a temporary folder, and says whether a server would let it in."
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="also say what would change in the instance with this data folder",
    )
    parser.add_argument("--json", action="store_true", help="say it as one line of JSON")
    parser.add_argument("plugin", help="the id of an installed plugin, or the folder of one")


def _purge_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Shows what an uninstalled plugin left in the database, asks, and removes it for good. "
        "Stop the server first."
    )
    parser.add_argument("plugin", help="the id of a plugin that is no longer installed")
    parser.add_argument("--yes", action="store_true", help="do not ask")


async def _list(options: argparse.Namespace, host: CommandHost) -> int:
    statuses, remarks = await plugin_states(host)
    for status in statuses:
        reason = f"  {status.reason}" if status.reason else ""
        print(f"{status.status:12} {status.id:20} {status.version:8} {status.source}{reason}")
    for remark in remarks:
        print(remark, file=sys.stderr)
    return 0


async def _check(options: argparse.Namespace, host: CommandHost) -> int:
    folder = Path(options.plugin)
    if is_project(folder) and not (folder / "plugin.json").exists():
        return _check_project(folder, options)
    upkeep = host.service(PluginUpkeep)
    trial = await upkeep.try_out(options.plugin)
    if trial is None:
        print(
            f"there is no plugin {options.plugin}, and no folder of that name with a plugin.json or a "
            "pyproject.toml that names one"
        )
        return 2
    status = trial.status
    changes, findings = list[str](), list[Finding]()
    if status.status != "loaded":
        findings = [refusal(status.reason or status.status)]
    elif status.source != "builtin":
        findings = [*broken_rules(trial)]
    if options.data is not None and status.status == "loaded":
        try:
            changes += await _changes(trial, upkeep.instance(options.data), host.service(InstanceFacts))
        except MisfitMigrations as fault:
            findings = [Finding(MIGRATION_CHANGED, str(fault))]
    if options.json:
        print(json.dumps(_described(trial, findings, changes)))
    else:
        _print_trial(trial, findings, changes)
    return 1 if findings else 0


def _check_project(project: Path, options: argparse.Namespace) -> int:
    """Checks the plugins of a project from its sources, installed or not, in a process of their own."""
    try:
        project = project.resolve()
        names = entries_of(project, PLUGIN_ENTRIES)
    except NoProject as reason:
        raise OperatorError(str(reason)) from None
    if not names:
        raise OperatorError(
            f'{project / "pyproject.toml"} names no plugin: say [project.entry-points."{PLUGIN_ENTRIES}"]'
        )
    more = [word for word, given in (("--json", options.json),) if given]
    if options.data is not None:
        more += ["--data", str(options.data)]
    with TemporaryDirectory(prefix="guildhall-check-") as folder:
        path = os.pathsep.join([*describe(project, Path(folder)), os.environ.get("PYTHONPATH", "")])
        codes = [
            subprocess.run(  # noqa: S603 - our own
                [Path(sys.executable).with_name("guildhall"), "plugin", "check", plugin_id, *more],
                env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)},
                check=False,
            ).returncode
            for plugin_id in names
        ]
    return max(codes)


def _print_trial(trial: PluginTrial, findings: Sequence[Finding], changes: Sequence[str]) -> None:
    status = trial.status
    for finding in findings:
        print(f"{status.id}: {finding}")
    if findings and not trial.contents:
        return
    if not findings:
        brings = f"{len(status.routes)} routes, {len(status.tools)} tools"
        print(f"{status.id} {status.version} would be let in: {brings}")
    for label, names in trial.contents.items():
        for name in names:
            print(f"  {label:20} {name}")
    for line in ([status.reason] if status.reason else []) + [*changes]:
        print(line)


def _described(trial: PluginTrial, findings: Sequence[Finding], changes: Sequence[str]) -> dict[str, Any]:
    status, code = trial.status, trial.code
    sources = [] if code is None else modules_in(code) if code.is_dir() else [code]
    folder = trial.migrations.get(status.id)
    migrations = [] if folder is None else sorted(folder.glob("*.sql"))
    return {
        "id": status.id,
        "version": status.version,
        "status": status.status,
        "findings": [{"rule": one.rule, "text": one.text} for one in findings],
        "contents": trial.contents,
        "hooks": sorted({name for path in sources for name in marked_functions("hookimpl", path)}),
        "migrations": {path.name: sha256(path.read_bytes()).hexdigest() for path in migrations},
        "changes": [*changes],
    }


class MisfitMigrations(Exception):
    """The reason why a server of an instance would leave the plugin out."""


async def _changes(trial: PluginTrial, tables: InstanceTables, facts: InstanceFacts) -> list[str]:
    """Returns a line for each change that a start of a server would make in an instance."""
    plugin_id = trial.status.id
    async with tables.opened() as data, data.read() as reader:
        record = (await known_records(reader, tables.engine, facts)).get(plugin_id, PluginRecord())
        ledger = await tables.ledger(reader)
    changes = []
    if (folder := trial.migrations.get(plugin_id)) is not None:
        try:
            pending = tables.pending(ledger, plugin_id, folder)
        except OperatorError as error:
            raise MisfitMigrations(str(error)) from None
        changes = [f"would apply the migration {file}" for file in pending]
    if trial.status.source != "builtin":
        changes += _differences(record.contents, trial.contents)
    last_run = (
        "is not loaded"
        if record.status == REMOVED
        else f"{record.version} was {record.status} at the last start"
    )
    return [f"in {tables.place} {plugin_id} {last_run}", *(changes or ["nothing of it would change"])]


def _differences(before: Names, now: Names) -> Iterator[str]:
    for label in sorted({*before, *now} - {"migration"}):
        old, new = set(before.get(label, ())), set(now.get(label, ()))
        yield from (f"would remove the {label} {name}" for name in sorted(old - new))
        yield from (f"would add the {label} {name}" for name in sorted(new - old))


async def _purge(options: argparse.Namespace, host: CommandHost) -> int:
    plugin_id: str = options.plugin
    async with host.service(PluginUpkeep).alone(plugin_id) as data:
        remains = await _remains(host, data, plugin_id)
        if remains is None:
            print(f"the plugin {plugin_id} has left nothing in the database")
            return 0
        print(remains.describe())
        _check_counted(remains)
        for status in host.plugins.statuses():
            if status.status != "loaded":
                print(
                    f"The plugin {status.id} is {status.status}: if it stores something for it, that stays."
                )
        if not options.yes and not _agreed():
            print("nothing was removed")
            return 1
        await _remove(host, data, remains)
    print(f"removed all that the plugin {plugin_id} had left")
    return 0


async def _remains(host: CommandHost, data: Data, plugin_id: str) -> Remains | None:
    async with data.read() as reader:
        records = await read_records(reader, host.service(InstanceFacts))
    is_shared = host.service(InstanceTables).engine.one_process_only is None
    if is_shared and records.get(plugin_id, PluginRecord()).status == "loaded":
        raise OperatorError(
            f"the server that started last has the plugin {plugin_id} loaded: stop the server first, or "
            "restart it without the plugin"
        )
    found = await find_remains(data, host.plugins, host.service(PluginStorage), records, also=[plugin_id])
    return next((one for one in found if one.plugin.id == plugin_id), None)


def _check_counted(remains: Remains) -> None:
    for one in remains.stored:
        if one.many is None:
            raise OperatorError(
                f"nothing was removed: {one.owner} cannot count its {one.data.name}; start the server once, "
                f"which makes its tables, or mend {one.owner}"
            )


async def _remove(host: CommandHost, data: Data, remains: Remains) -> None:
    try:
        async with data.write(Actor(_ACTOR)) as writer:
            await remove(writer, host.service(PluginStorage), host.service(InstanceFacts), remains)
            writer.audit("plugin.purged", ("plugin", remains.plugin.id), detail=remains.counts())
    except Problem:
        raise
    except Exception as error:
        raise OperatorError(f"nothing was removed: {str(error).splitlines()[0]}") from error


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise OperatorError("nobody is there to ask; say --yes to remove it")
    return input("Remove it for good? [y/N] ").strip().lower() in {"y", "yes"}


def _runs(
    act: Callable[[argparse.Namespace, CommandHost], Coroutine[Any, Any, int]],
) -> Callable[[argparse.Namespace, CommandHost], int]:
    return lambda options, host: asyncio.run(act(options, host))


PLUGIN_COMMANDS = (
    Command(name="plugin list", help="every plugin, with its state", run=_runs(_list), despite_faults=True),
    Command(
        name="plugin check",
        help="would this plugin be let in? needs no server",
        run=_runs(_check),
        arguments=_check_arguments,
        despite_faults=True,
    ),
    Command(
        name="plugin purge",
        help="remove what an uninstalled plugin left in the database",
        run=_runs(_purge),
        arguments=_purge_arguments,
        despite_faults=True,
    ),
)
