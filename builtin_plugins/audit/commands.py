"""`guildhall audit verify`: does the trail still say what was written?"""

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from builtin_plugins.audit.anchor_file import AnchorFile
from builtin_plugins.audit.anchors import Anchored, AnchorSource, read_anchors
from builtin_plugins.audit.chain import PURPOSE
from builtin_plugins.audit.verification import LAST_CHECKPOINT, verify
from guildhall_sdk import Command
from guildhall_sdk.commands import OpenedHost
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.services.identity import Vault

_SAID_EVERY = 10_000


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Verifies that the audit trail still says what was written."
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


async def _verify(options: argparse.Namespace, host: OpenedHost) -> int:
    """Verifies the trail with the anchors of the instance and those that were given; 1 where a fault is."""
    begin = None if options.since is None else _time_ms(options.since)
    progress, key = _Progress(), host.service(Vault).derive(PURPOSE)
    anchors = AnchorFile(host.settings.data, key)
    try:
        own = anchors.read()
    except OSError as error:
        raise OperatorError(f"{anchors.path} cannot be read: {error.strerror}") from None
    anchored = Anchored.of(own, [_given(file, key) for file in options.anchor])
    verdict = await verify(host.data, key, anchored, since=begin, progress=progress.add)
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
    if text == "checkpoint":
        return LAST_CHECKPOINT
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise OperatorError(f"--since {text}: takes 'checkpoint' or a time such as 2026-10-01") from None
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


def _given(file: Path, key: bytes) -> AnchorSource:
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            source = read_anchors(str(file), lines, key)
    except OSError as error:
        raise OperatorError(f"--anchor {file} cannot be read: {error.strerror}") from None
    if not source.anchors and not source.faults:
        raise OperatorError(f"--anchor {file}: no anchor stands in it")
    return source


COMMANDS = (Command(name="audit", help="verify the audit trail", opened=_verify, arguments=_arguments),)
