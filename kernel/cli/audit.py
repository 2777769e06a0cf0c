"""`guildhall audit verify`: does the trail still say what was written?"""

import argparse
import asyncio

from kernel.cli.opened import opened_instance
from kernel.config import Settings


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    group = commands.add_parser("audit", help="the audit trail").add_subparsers(
        required=True, metavar="action"
    )
    group.add_parser(
        "verify", help="walk every chain and name the first event that does not hold"
    ).set_defaults(run=lambda options, settings: asyncio.run(_verify(settings)))


async def _verify(settings: Settings) -> int:
    from kernel.audit import Trail, verify

    async with opened_instance(settings) as instance:
        verdict = await verify(instance.data, Trail(instance.vault, instance.clock))
    for fault in verdict.faults:
        print(fault)
    state = "all hold" if verdict.ok else f"{len(verdict.faults)} do not hold"
    print(f"{verdict.chains} chains, {verdict.events} events: {state}")
    return 0 if verdict.ok else 1
