"""`guildhall upgrade`: how far an upgrade is, its second half, and the way back to the version before."""

import argparse
from datetime import UTC, datetime

from builtin_plugins.operations.upgrades import HELD, UpgradeState, upgrade_state
from guildhall_sdk import Command
from guildhall_sdk.commands import OpenedHost
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.services.server import InstanceFacts, SchemaUpgrade

_RESTORE = "restore a backup that was made before the upgrade (`guildhall restore`)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "status: which servers run, and what of an upgrade is still to come. finish: take away now what the "
        "version before needs. rollback: whether one can go back to the version before, and keep that open."
    )
    parser.add_argument("action", choices=["status", "finish", "rollback"])


async def upgrade(options: argparse.Namespace, host: OpenedHost) -> int:
    async with host.data.read() as reader:
        state = await upgrade_state(host, reader, host.version)
    if options.action == "status":
        return _print_status(state)
    if options.action == "finish":
        return await _finish(host, state)
    return await _roll_back(host, state)


def _print_status(state: UpgradeState) -> int:
    print(f"this program: {state.version}")
    for version, at in sorted(state.versions.items(), key=lambda one: one[1]):
        print(f"served by {version} since {_time(at)}")
    for one in state.servers:
        print(f"running: {one.version or 'before 0.2.0'} on {one.host}, process {one.pid}")
    if state.put_off:
        print("still to come, once no server of another version runs:")
        print("\n".join(f"  {file}" for file in state.put_off))
        if state.others:
            print(f"waiting for {len(state.others)} server process(es) of another version to end")
        elif state.held:
            print("held by `guildhall upgrade rollback`; `guildhall upgrade finish` does it")
    else:
        print("finished: nothing is still to come")
    print(f"way back: {_way_back(state)[1]}")
    return 0


async def _finish(host: OpenedHost, state: UpgradeState) -> int:
    if not state.put_off:
        print("finished: nothing is still to come")
        return 0
    files = await host.service(SchemaUpgrade).finish()
    async with host.data.write() as writer:
        await host.service(InstanceFacts).remove(writer, HELD)
    print("\n".join(f"applied {file}" for file in files))
    print("there is no way back to the version before any more but a backup")
    return 0


async def _roll_back(host: OpenedHost, state: UpgradeState) -> int:
    """Says whether the version before can serve this data; where it can, nothing is taken away meanwhile."""
    is_open, words = _way_back(state)
    if not is_open:
        raise OperatorError(words)
    async with host.data.write() as writer:
        await host.service(InstanceFacts).set(writer, HELD, state.version)
    print(words)
    print("what is still to come of this version waits from now on, until `guildhall upgrade finish`")
    print(f"now, server by server: install {state.before}, and restart it")
    print("what people made with what only the new version has stays in the database, and is not shown")
    return 0


def _way_back(state: UpgradeState) -> tuple[bool, str]:
    if state.no_way_back:
        return False, (
            f"no way back: {', '.join(state.no_way_back)} took away what the version before needs; {_RESTORE}"
        )
    if state.before is None:
        return False, f"no way back: no version before {state.version} is known to have served this data"
    return True, f"open, to {state.before}"


def _time(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


UPGRADE_COMMANDS = (
    Command(
        name="upgrade",
        help="how far an upgrade is: status, finish, rollback",
        arguments=add_arguments,
        opened=upgrade,
    ),
)
