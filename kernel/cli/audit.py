"""`guildhall audit verify`: does the trail still say what was written?"""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kernel.cli.opened import opened_instance
from kernel.config import Settings, SettingsError

if TYPE_CHECKING:
    from kernel.audit import AnchorSource


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    group = commands.add_parser("audit", help="the audit trail").add_subparsers(
        required=True, metavar="action"
    )
    verify = group.add_parser("verify", help="walk every chain and name the first event that does not hold")
    verify.add_argument(
        "--anchor",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="anchors kept elsewhere: a copy of audit-anchors.log, or lines of a log",
    )
    verify.set_defaults(run=lambda options, settings: asyncio.run(_verify(settings, options.anchor)))


async def _verify(settings: Settings, files: Sequence[Path]) -> int:
    from kernel.audit import Anchored, AnchorFile, Trail, verify

    async with opened_instance(settings) as instance:
        trail = Trail(instance.vault, instance.clock)
        anchors = AnchorFile(settings.data, trail.key)
        try:
            own = anchors.read()
        except OSError as error:
            raise SettingsError(f"{anchors.path} cannot be read: {error.strerror}") from None
        given = [_given(file, trail.key) for file in files]
        verdict = await verify(instance.data, trail, Anchored.of(own, given))
    for fault in (*verdict.faults, *verdict.anchor_faults):
        print(fault)
    for remark in verdict.remarks:
        print(f"note: {remark}")
    wrong = len(verdict.faults) + len(verdict.anchor_faults)
    state = "all hold" if verdict.ok else f"{wrong} do not hold"
    print(f"{verdict.chains} chains, {verdict.events} events: {state}")
    return 0 if verdict.ok else 1


def _given(file: Path, key: bytes) -> "AnchorSource":
    from kernel.audit import read_anchors

    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            source = read_anchors(str(file), lines, key)
    except OSError as error:
        raise SettingsError(f"--anchor {file} cannot be read: {error.strerror}") from None
    if not source.anchors and not source.faults:
        raise SettingsError(f"--anchor {file}: no anchor stands in it")
    return source
