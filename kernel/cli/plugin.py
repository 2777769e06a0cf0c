"""`guildhall plugin`: what is there, and whether a plugin would be let in."""

import argparse
from pathlib import Path

from kernel.config import Settings


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("plugin", help="plugins")
    parser.set_defaults(
        judges_settings=True
    )  # what is wrong with a plugin's settings is no reason to hide it
    group = parser.add_subparsers(required=True, metavar="action")
    group.add_parser("list", help="every plugin, with its state").set_defaults(run=_list)
    check = group.add_parser("check", help="would this plugin be let in? needs no server")
    check.add_argument("plugin", help="the id of an installed plugin, or a folder with a plugin.json")
    check.set_defaults(run=_check)


def _list(options: argparse.Namespace, settings: Settings) -> int:
    from kernel.plugins.admission import Admission
    from kernel.plugins.discovery import discover

    admission = Admission()
    admission.admit_all(discover(settings.plugins, settings.blob_store), settings.plugins_blocked)
    for status in admission.registry.statuses():
        reason = f"  {status.reason}" if status.reason else ""
        print(f"{status.status:12} {status.id:20} {status.version:8} {status.source}{reason}")
    return 0


def _check(options: argparse.Namespace, settings: Settings) -> int:
    from kernel.http.validation import schema_faults
    from kernel.plugins.admission import Admission
    from kernel.plugins.discovery import directory, discover

    admission = Admission()
    candidates = discover(settings.plugins, settings.blob_store)
    wanted = options.plugin
    if (Path(wanted) / "plugin.json").is_file():
        candidate = directory(Path(wanted).resolve())
        candidates = [*(other for other in candidates if other.id != candidate.id), candidate]
        wanted = candidate.id
    admission.admit_all(candidates)
    status = next((one for one in admission.registry.statuses() if one.id == wanted), None)
    if status is None:
        print(f"there is no plugin {wanted}, and no folder of that name with a plugin.json")
        return 2
    if status.status != "loaded":
        print(f"{status.id}: {status.reason}")
        return 1
    rows = (bound.row for bound in admission.registry.routes() if bound.plugin_id == wanted)
    if faults := [fault for row in rows for fault in schema_faults(row)]:
        print("\n".join(f"{status.id}: {fault}" for fault in faults))
        return 1
    brings = f"{len(status.routes)} routes, {len(status.tools)} tools"
    print(f"{status.id} {status.version} would be let in: {brings}")
    return 0
