"""`guildhall secrets`: new keys for what is sealed."""

import argparse
import asyncio
from pathlib import Path

from kernel.cli.opened import opened_instance
from kernel.config import Settings


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "secrets",
        help="seal secrets at rest anew, or put their keys under another secret key",
        description="Changes the keys that secrets at rest are sealed with. The server may run meanwhile.",
    )
    group = parser.add_subparsers(required=True, metavar="action")
    rotate = group.add_parser(
        "rotate",
        help="make a new data key and seal every secret anew",
        description="Makes a new data key and seals every secret anew under it; the secret key stays.",
    )
    rotate.set_defaults(run=lambda options, settings: asyncio.run(_rotate(settings)))
    rewrap = group.add_parser(
        "rewrap",
        help="put the data keys under a new instance key",
        description="Puts the data keys under the secret key in a file; start every server with that one.",
    )
    rewrap.add_argument("new_key_file", type=Path, help="a file that holds the new SERVICE_SECRET_KEY")
    rewrap.set_defaults(run=_rewrap)


async def _rotate(settings: Settings) -> int:
    from kernel.secrets import rotate

    async with opened_instance(settings) as instance:
        done = await rotate(instance.data, instance.vault)
    print(f"{done.resealed} secrets sealed anew, {done.dropped_keys} old keys dropped")
    for name in done.unreadable:
        print(f"left as it was, for it does not open: {name}")
    return 1 if done.unreadable else 0


def _rewrap(options: argparse.Namespace, settings: Settings) -> int:
    from guildhall_sdk.settings import MAKE_ONE, is_placeholder
    from kernel.secrets import SecretKeyError, read_key_file
    from libs.secret_values import guessable

    new_key = read_key_file(options.new_key_file)
    if (fault := guessable(new_key.decode(), is_placeholder)) is not None:
        raise SecretKeyError(f"{options.new_key_file}: the new key {fault}; {MAKE_ONE}")
    return asyncio.run(_rewrap_under(settings, new_key))


async def _rewrap_under(settings: Settings, new_key: bytes) -> int:
    from kernel.secrets import load_secret_key, rewrap

    old_key = load_secret_key(settings.secret_key, settings.data)
    async with opened_instance(settings) as instance:
        done = await rewrap(instance.data, old_key, new_key)
    print(f"{done.rewrapped} data keys are now under the new instance key ({done.already} were already)")
    print("Start the server with the new key from now on.")
    return 0
