"""`guildhall doctor`: is everything this server needs in order?"""

import argparse
import asyncio
from collections.abc import Awaitable, Callable

from kernel.config import Settings


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    commands.add_parser("doctor", help="check settings, plugins, keys and database").set_defaults(run=run)


def run(options: argparse.Namespace, settings: Settings) -> int:
    return asyncio.run(_examine(settings))


async def _examine(settings: Settings) -> int:
    from kernel.cli import expected_faults

    print("settings    ok")
    healthy = True
    for name, check in CHECKS.items():
        try:
            print(f"{name:11} {await check(settings)}")
        except expected_faults() as error:
            healthy = False
            print(f"{name:11} {error}")
    return 0 if healthy else 1


async def _plugins(settings: Settings) -> str:
    from kernel.plugins.admission import Admission
    from kernel.plugins.discovery import discover

    admission = Admission()
    admission.admit_all(discover(settings.plugins, settings.blob_store), settings.plugins_blocked)
    refused = [f"{one.id} is {one.status}: {one.reason}" for one in admission.registry.refused]
    return "; ".join([f"{len(admission.registry.contributions)} loaded", *refused])


async def _secret_key(settings: Settings) -> str:
    from kernel.secrets import load_secret_key

    load_secret_key(settings.secret_key, settings.data)
    return "ok"


async def _database(settings: Settings) -> str:
    from kernel.cli.opened import opened_instance

    async with opened_instance(settings) as instance:
        await instance.data.ping()
        return f"ok ({instance.data.dialect})"


CHECKS: dict[str, Callable[[Settings], Awaitable[str]]] = {
    "plugins": _plugins,
    "secret key": _secret_key,
    "database": _database,
}
