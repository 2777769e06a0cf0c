"""`guildhall top`: the server on this machine, live in a terminal, found by its settings."""

import argparse
import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from builtin_plugins.telemetry.health import PASS_HEADER, machine_pass
from guildhall_sdk import Command
from guildhall_sdk.commands import OpenedHost
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.server import InstanceInspection

_PATH = "/api/admin/health/machine"
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]", "": "127.0.0.1"}  # noqa: S104 - it is read, not bound
_MAX_SECONDS = 3600.0
_PATIENCE = 10.0
_BARS = " ▁▂▃▄▅▆▇█"
_NEW_SCREEN, _OLD_SCREEN, _HOME, _REST_OF_LINE, _REST = (
    "\x1b[?1049h\x1b[?25l",
    "\x1b[?25h\x1b[?1049l",
    "\x1b[H",
    "\x1b[K",
    "\x1b[J",
)


class NobodyAnswers(OperatorError):
    """No server answers at the address of the settings."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Requests, jobs, streams, slow statements and busy companies of the server on this machine, found by "
        "the settings that it was started with; it needs no token. q ends it."
    )
    parser.add_argument("--every", type=float, default=2.0, metavar="SECONDS", help="how often it looks")
    parser.add_argument("--once", action="store_true", help="print it once and end, as without a terminal")


async def top(options: argparse.Namespace, host: OpenedHost) -> int:
    """Shows the server until `q` is pressed."""
    if not 0.2 <= options.every <= _MAX_SECONDS:
        raise OperatorError(f"--every takes 0.2 to {_MAX_SECONDS:.0f} seconds")
    async with _server(host) as server:
        if options.once or not (sys.stdout.isatty() and sys.stdin.isatty()):
            sys.stdout.write("\n".join(lines_of(await server.look(), None, 10_000)) + "\n")
            return 0
        ended = asyncio.Event()
        with _keys(ended), _screen():
            before: Mapping[str, Any] | None = None
            while not ended.is_set():
                found = await server.look()
                _draw(lines_of(found, before, shutil.get_terminal_size().columns))
                before = found
                with suppress(TimeoutError):
                    await asyncio.wait_for(ended.wait(), options.every)
    return 0


@dataclass(frozen=True, slots=True)
class _Server:
    client: Any
    host: OpenedHost
    url: str

    async def look(self) -> Mapping[str, Any]:
        """Returns the health of the server; a pass is made for each look."""
        import httpx

        sealed = machine_pass(self.host.service(Vault), self.host.clock.now_ms())
        try:
            answer = await self.client.get(self.url + _PATH, headers={PASS_HEADER: sealed})
            found: Mapping[str, Any] = answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise NobodyAnswers(
                f"no server answers at {self.url} ({type(error).__name__}): start one by `guildhall serve`, "
                "or set SERVICE_BIND as it has it"
            ) from None
        if answer.status_code != 200:
            raise NobodyAnswers(
                f"the server at {self.url} answers {answer.status_code}: "
                f"{found.get('detail', 'it is none of these settings')}"
            )
        return found


@asynccontextmanager
async def _server(host: OpenedHost) -> AsyncIterator[_Server]:
    import httpx

    known, _ = host.service(InstanceInspection).settings()
    bind = next(str(one.value) for one in known if one.variable == "SERVICE_BIND")
    name, _, port = bind.rpartition(":")
    async with httpx.AsyncClient(timeout=_PATIENCE, trust_env=False) as client:
        yield _Server(client, host, f"http://{_ANYWHERE.get(name, name)}:{port}")


@contextmanager
def _keys(ended: asyncio.Event) -> Iterator[None]:
    """Ends at `q` and at Ctrl-C; each key is read as it is pressed."""
    import termios
    import tty

    stdin, loop = sys.stdin.fileno(), asyncio.get_running_loop()
    before = termios.tcgetattr(stdin)

    def read() -> None:
        keys = os.read(stdin, 64)
        if not keys or keys.lower().find(b"q") >= 0 or b"\x03" in keys:
            ended.set()

    tty.setcbreak(stdin)
    loop.add_reader(stdin, read)
    try:
        yield
    finally:
        loop.remove_reader(stdin)
        termios.tcsetattr(stdin, termios.TCSADRAIN, before)


@contextmanager
def _screen() -> Iterator[None]:
    """Leaves what stood in the terminal as it was."""
    sys.stdout.write(_NEW_SCREEN)
    try:
        yield
    finally:
        sys.stdout.write(_OLD_SCREEN)
        sys.stdout.flush()


def _draw(lines: list[str]) -> None:
    rows = shutil.get_terminal_size().lines - 1
    sys.stdout.write(_HOME + "".join(f"{line}{_REST_OF_LINE}\r\n" for line in lines[:rows]) + _REST)
    sys.stdout.flush()


def lines_of(found: Mapping[str, Any], before: Mapping[str, Any] | None, width: int) -> list[str]:
    """Returns the picture of a moment; rates are those since the picture before, or of the history."""
    totals, jobs, database = found["totals"], found["jobs"], found["database"]
    state = "ready" if found["ready"] else f"NOT READY: {found.get('trouble', '')}"
    history = found["history"]
    lines = [
        f"Guildhall {found['version']}  {state}  processes {found['processes']}  "
        f"memory {_size(found['memory_bytes'])}  {found['at']}   q ends",
        "",
        f"requests  {_rate(found, before, 'requests')}/s  failed {_rate(found, before, 'failed')}/s  "
        f"p95 {history[-1]['p95_ms'] if history else 0:g} ms  since the start {totals['requests']:,}"
        f"  {_spark([one['requests_per_second'] for one in history])}",
        f"streams   {totals['streams']}",
        f"jobs      waiting {jobs['waiting']:,}  running {jobs['running']:,}  "
        f"ended {_rate(found, before, 'jobs_ended')}/s  failed {_rate(found, before, 'jobs_failed')}/s  "
        f"longest wait {jobs['longest_wait_seconds']:.0f} s",
        f"database  {database['engine']}  {_size(database['bytes'])}  "
        f"waited {database['waited_seconds']:.1f} s",
        "",
        "slow statements" if found["slow_statements"] else "slow statements: none",
        *(
            f"  {one['ms']:>7,} ms  {one['plugin']:16}  {one['name']:32}  {one['at']}"
            for one in found["slow_statements"][:8]
        ),
        "",
        "busy companies" if found["companies"] else "busy companies: none",
        *(
            f"  {one['waiting']:>7,} waiting  {one['running']:>5,} running  {_plain(one['name'])}"
            for one in found["companies"]
        ),
    ]
    return [line[:width] for line in lines]


def _rate(found: Mapping[str, Any], before: Mapping[str, Any] | None, name: str) -> str:
    """Returns how often a second; without a picture before that it is of the last sample, or not known."""
    if before is None or found["at"] == before["at"]:
        known = {
            "requests": "requests_per_second",
            "failed": "failed_per_second",
            "jobs_ended": "jobs_per_second",
        }
        return f"{found['history'][-1][known[name]]:g}" if found["history"] and name in known else "-"
    from datetime import datetime

    seconds = (datetime.fromisoformat(found["at"]) - datetime.fromisoformat(before["at"])).total_seconds()
    return f"{max(0, found['totals'][name] - before['totals'][name]) / max(seconds, 0.001):.1f}"


def _spark(values: list[float]) -> str:
    highest = max(values, default=0)
    last = values[-30:]
    return "".join(_BARS[round(value / highest * (len(_BARS) - 1))] for value in last) if highest else ""


def _size(many: int) -> str:
    return f"{many / 2**20:,.0f} MiB"


def _plain(text: str) -> str:
    """Returns a name that people gave without what would steer the terminal."""
    return "".join(one if one.isprintable() else "?" for one in text)[:64]


COMMANDS = (
    Command(
        name="top",
        help="the server on this machine, live: requests, jobs, streams, slow statements, busy companies",
        arguments=add_arguments,
        opened=top,
    ),
)
