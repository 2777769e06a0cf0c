"""`guildhall doctor` and `guildhall secrets`, which run where no server would start.

The rows of `doctor` that name a feature are that plugin's own.
"""

import argparse
import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from builtin_plugins.operations.plugin_states import plugin_states
from guildhall_sdk import Command
from guildhall_sdk.blobs import BlobStorage
from guildhall_sdk.commands import CommandHost, HealthCheck
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.routes import Adapter
from guildhall_sdk.services.identity import SecretKeys
from guildhall_sdk.services.server import InstanceInspection, SettingInUse
from libs.disks import Disk, DiskTrouble
from libs.listener import AddressTaken, bound_socket
from libs.own_process import describe_loop
from libs.redaction import redact
from libs.secret_values import as_text, guessable

_WIDTH = 110


def _doctor_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Checks what a server needs, a row for each: settings, plugins, secret key, disk, "
        "database, blobs, replica, sandbox and event loop. It changes nothing, works beside a running "
        "server, and exits 1 where something is wrong."
    )
    parser.add_argument(
        "--adopt-store",
        action="store_true",
        help="first take the blob store that is set up here for this instance's own, whatever it holds",
    )


def _doctor(options: argparse.Namespace, host: CommandHost) -> int:
    return asyncio.run(_examine(host, adopt_store=options.adopt_store))


async def _examine(host: CommandHost, *, adopt_store: bool) -> int:
    if adopt_store:
        await _adopt_store(host)
    healthy = True
    for check in sorted(host.plugins.declared(HealthCheck), key=lambda check: check.order):
        try:
            print(f"{check.name:11} {await check.run(host)}")
        except OperatorError as error:
            healthy = False
            print(f"{check.name:11} {error}")
    return 0 if healthy else 1


async def _adopt_store(host: CommandHost) -> None:
    await _weakness_of_key(host)
    async with host.service(InstanceInspection).database() as data:
        await host.service(BlobStorage).adopt(data)
    print(f"the store {host.settings.blob_store} that is set up here is this instance's own from now on")


async def _settings(host: CommandHost) -> str:
    """Lists what is set, never a secret; raises for the first that is unknown or malformed."""
    settings, unread = host.service(InstanceInspection).settings()
    addresses = {one.bind for one in host.plugins.declared(Adapter)}
    for one in settings:
        if one.variable == "SERVICE_BIND" or (one.given and one.setting in addresses):
            _check_host(one)
    lines = [_line(one) for one in settings if one.given]
    lines += [f"{name} is not read: the plugin that may declare it is not loaded" for name in unread]
    return "\n".join(["ok", *(f"{'':11} {line}" for line in lines)])


def _check_host(address: SettingInUse) -> None:
    """Raises where a host to listen on is none of this machine; a server that runs may have its port."""
    host, _, _ = address.value.rpartition(":")
    try:
        bound_socket(f"{host}:0").close()
    except AddressTaken:
        raise OperatorError(f"{address.variable}: {host} is no address of this machine") from None


def _line(one: SettingInUse) -> str:
    value = " is set" if one.setting.secret else f"={_printable(redact(as_text(one.value)))}"
    return f"{one.variable}{value} [{one.owner}]"


def _printable(text: str) -> str:
    """Returns a text of the environment on one line."""
    plain = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text[:_WIDTH])
    return plain if len(text) <= _WIDTH else f"{plain}…"


async def _plugins(host: CommandHost) -> str:
    """Checks the plugins; one in quarantine is a fault, a blocked one is as it was wanted."""
    statuses, remarks = await plugin_states(host)
    loaded = sum(status.status == "loaded" for status in statuses)
    out = [f"{one.id} is {one.status}: {one.reason}" for one in statuses if one.status != "loaded"]
    stale = [f"{one.id} {one.reason}" for one in statuses if one.status == "loaded" and one.reason]
    line = "; ".join([f"{loaded} loaded", *out, *stale, *remarks])
    if any(status.status == "quarantined" for status in statuses):
        raise OperatorError(line)
    return line


async def _secret_key(host: CommandHost) -> str:
    """Checks the key, and that it opens the database, as far as that can be asked."""
    if (weakness := await _weakness_of_key(host)) is not None:
        raise OperatorError(
            f"{weakness}; put the data keys under another: guildhall secrets rewrap NEW_KEY_FILE"
        )
    return "ok"


async def _weakness_of_key(host: CommandHost) -> str | None:
    """Checks that the secret key opens the database; returns why others may guess it, or None."""
    keys = host.service(SecretKeys)
    key = keys.key()
    async with AsyncExitStack() as opened:
        try:
            data = await opened.enter_async_context(host.service(InstanceInspection).database())
        except OperatorError:
            pass  # whoever checks the database says what is wrong with that
        else:
            async with data.read() as reader:
                await keys.vault(reader, key)
    return guessable(key.decode(), "guildhall")


async def _disk(host: CommandHost) -> str:
    """Checks the disk of the data folder, and of the database where it is a file somewhere else."""
    folders = (host.settings.data, host.service(InstanceInspection).database_folder)
    disks = dict.fromkeys(Disk(one.absolute()) for one in folders if one is not None)
    try:
        free = [(disk.folder, await asyncio.to_thread(disk.check)) for disk in disks]
    except DiskTrouble as trouble:
        raise OperatorError(str(trouble)) from None
    return "; ".join(f"ok ({room // 2**20} MiB free at {folder})" for folder, room in free)


async def _database(host: CommandHost) -> str:
    return f"ok ({await host.service(InstanceInspection).check_database()})"


async def _replica(host: CommandHost) -> str:
    """Checks the replica; the server goes on without it, and the operator should know."""
    return await host.service(InstanceInspection).check_replica()


async def _event_loop(host: CommandHost) -> str:
    """Names the event loop that a server runs on; with either it serves."""
    return describe_loop("pip install 'guildhall-server[fast]'")


CHECKS = (
    HealthCheck(name="settings", order=10, run=_settings),
    HealthCheck(name="plugins", order=20, run=_plugins),
    HealthCheck(name="secret key", order=30, run=_secret_key),
    HealthCheck(name="disk", order=40, run=_disk),
    HealthCheck(name="database", order=50, run=_database),
    HealthCheck(name="replica", order=70, run=_replica),
    HealthCheck(name="event loop", order=90, run=_event_loop),
)


def _secrets_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Changes the keys that secrets at rest are sealed with. The server may run meanwhile."
    )
    group = parser.add_subparsers(required=True, metavar="action")
    rotate = group.add_parser(
        "rotate",
        help="make a new data key and seal every secret anew",
        description="Makes a new data key and seals every secret anew under it; the secret key stays.",
    )
    rotate.set_defaults(act=_rotate)
    rewrap = group.add_parser(
        "rewrap",
        help="put the data keys under a new instance key",
        description="Puts the data keys under the secret key in a file; start every server with that one.",
    )
    rewrap.add_argument("new_key_file", type=Path, help="a file that holds the new SERVICE_SECRET_KEY")
    rewrap.set_defaults(act=_rewrap)


def _secrets(options: argparse.Namespace, host: CommandHost) -> int:
    code: int = asyncio.run(options.act(options, host.service(SecretKeys)))
    return code


async def _rotate(options: argparse.Namespace, keys: SecretKeys) -> int:
    done = await keys.rotate()
    print(f"{done.resealed} secrets sealed anew, {done.dropped_keys} old keys dropped")
    for name in done.unreadable:
        print(f"left as it was, for it does not open: {name}")
    return 1 if done.unreadable else 0


async def _rewrap(options: argparse.Namespace, keys: SecretKeys) -> int:
    rewrapped, already = await keys.rewrap(options.new_key_file)
    print(f"{rewrapped} data keys are now under the new instance key ({already} were already)")
    print("Start the server with the new key from now on.")
    return 0


COMMANDS = (
    Command(
        name="secrets",
        help="seal secrets at rest anew, or put their keys under another secret key",
        run=_secrets,
        arguments=_secrets_arguments,
        despite_faults=True,
    ),
    Command(
        name="doctor",
        help="check settings, plugins, keys, disk, database and blobs",
        run=_doctor,
        arguments=_doctor_arguments,
        despite_faults=True,
    ),
)
