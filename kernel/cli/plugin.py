"""`guildhall plugin`: what is there, whether a plugin would be let in, and what a removed one left behind."""

import argparse
import asyncio
import os
import sys

from kernel.config import Settings


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "plugin",
        help="list plugins, try one out, remove what an uninstalled one left",
        description="Lists the plugins of this instance with their states, tries one out without a server, "
        "and removes what an uninstalled one left in the database.",
    )
    group = parser.add_subparsers(required=True, metavar="action")
    group.add_parser(
        "list",
        help="every plugin, with its state",
        description="Lists every plugin with its state: loaded, blocked, or in quarantine and why.",
    ).set_defaults(run=_list)
    check = group.add_parser(
        "check",
        help="would this plugin be let in? needs no server",
        description="Tries a plugin out in a temporary folder, and says whether a server would let it in.",
    )
    check.add_argument(
        "--data", metavar="DIR", help="also say what would change in the instance with this data folder"
    )
    check.add_argument("plugin", help="the id of an installed plugin, or a folder with a plugin.json")
    check.set_defaults(run=_check)
    purge = group.add_parser(
        "purge",
        help="remove what an uninstalled plugin left in the database",
        description="Shows what an uninstalled plugin left in the database, asks, and removes it for good. "
        "Stop the server first.",
    )
    purge.add_argument("plugin", help="the id of a plugin that is no longer installed")
    purge.add_argument("--yes", action="store_true", help="do not ask")
    purge.set_defaults(run=_purge)


def _list(options: argparse.Namespace, settings: Settings) -> int:
    from kernel.cli.instance import Inspection
    from kernel.plugins.admission import admit

    found = asyncio.run(Inspection(admit(settings), settings).plugins())
    for status in found.statuses:
        reason = f"  {status.reason}" if status.reason else ""
        print(f"{status.status:12} {status.id:20} {status.version:8} {status.source}{reason}")
    for remark in found.remarks:
        print(remark, file=sys.stderr)
    return 0


def _check(options: argparse.Namespace, settings: Settings) -> int:
    from kernel.cli.plugin_trial import NoSuchPlugin, try_out

    if options.data is not None:
        settings = Settings.from_environment({**os.environ, "SERVICE_DATA": options.data})
    try:
        trial = try_out(options.plugin, settings)
    except NoSuchPlugin:
        print(f"there is no plugin {options.plugin}, and no folder of that name with a plugin.json")
        return 2
    status = trial.status
    if trial.plugin is None:
        print(f"{status.id}: {status.reason}")
        return 1
    changes = None
    if options.data is not None:
        from kernel.cli.plugin_changes import changes_in

        changes = asyncio.run(changes_in(settings, trial.plugin, trial.registry))
        if changes.fault is not None:
            print(f"{status.id}: {changes.fault}")
            return 1
    for broken in trial.broken_rules:
        print(f"{status.id}: {broken}")
    if not trial.broken_rules:
        brings = f"{len(status.routes)} routes, {len(status.tools)} tools"
        print(f"{status.id} {status.version} would be let in: {brings}")
    for label, names in trial.contents().items():
        for name in names:
            print(f"  {label:20} {name}")
    if (notice := trial.registry.notice(trial.plugin)) is not None:
        print(notice)
    for line in changes.lines if changes is not None else ():
        print(line)
    return 1 if trial.broken_rules else 0


def _purge(options: argparse.Namespace, settings: Settings) -> int:
    from kernel.cli.plugin_purge import purge

    return asyncio.run(purge(options.plugin, settings, unasked=options.yes))
