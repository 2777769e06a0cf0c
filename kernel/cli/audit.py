"""`guildhall audit verify`: does the trail still say what was written?"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kernel.cli.opened import opened_instance
from kernel.config import Settings, SettingsError

if TYPE_CHECKING:
    from kernel.audit import AnchorSource


_SAID_EVERY = 10_000


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "audit",
        help="verify the audit trail",
        description="Verifies that the audit trail still says what was written.",
    )
    group = parser.add_subparsers(required=True, metavar="action")
    verify = group.add_parser(
        "verify",
        help="walk every chain and name the first event that does not hold",
        description="Walks every chain of the audit trail and names the first event that was edited, "
        "removed, inserted or cut off. It works beside a running server, and exits 1 where one was.",
    )
    verify.add_argument(
        "--anchor",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="anchors kept elsewhere: a copy of audit-anchors.log, or lines of a log",
    )
    verify.add_argument(
        "--since",
        metavar="WHEN",
        help="begin each chain at its last checkpoint: 'checkpoint', or the last one made by a time "
        "such as 2026-10-01 or 2026-10-01T12:00:00Z; without it everything is read",
    )
    verify.set_defaults(
        run=lambda options, settings: asyncio.run(_verify(settings, options.anchor, options.since))
    )


async def _verify(settings: Settings, files: Sequence[Path], since: str | None) -> int:
    from kernel.audit import Anchored, AnchorFile, Trail, verify

    begin = None if since is None else _time_ms(since)
    progress = _Progress()

    async with opened_instance(settings) as instance:
        trail = Trail(instance.vault, instance.clock)
        anchors = AnchorFile(settings.data, trail.key)
        try:
            own = anchors.read()
        except OSError as error:
            raise SettingsError(f"{anchors.path} cannot be read: {error.strerror}") from None
        given = [_given(file, trail.key) for file in files]
        verdict = await verify(
            instance.data, trail, Anchored.of(own, given), since=begin, progress=progress.add
        )
    progress.clear()
    for fault in (*verdict.faults, *verdict.anchor_faults):
        print(fault)
    for remark in verdict.remarks:
        print(f"note: {remark}")
    wrong = len(verdict.faults) + len(verdict.anchor_faults)
    state = "all hold" if verdict.ok else f"{wrong} do not hold"
    print(f"{verdict.chains} chains, {verdict.events} events: {state}")
    return 0 if verdict.ok else 1


def _time_ms(text: str) -> int:
    """Parses what `--since` takes; a time without a zone is in UTC."""
    from kernel.audit import LAST_CHECKPOINT

    if text == "checkpoint":
        return LAST_CHECKPOINT
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise SettingsError(f"--since {text}: takes 'checkpoint' or a time such as 2026-10-01") from None
    return int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1000)


class _Progress:
    """Says on a terminal how many events were read so far."""

    def __init__(self) -> None:
        self._events = 0
        self._said = 0

    async def add(self, events: int) -> None:
        self._events += events
        if sys.stderr.isatty() and self._events - self._said >= _SAID_EVERY:
            self._said = self._events
            print(f"\r{self._events} events read", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._said:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


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
