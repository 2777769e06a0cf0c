"""`guildhall worker`: runs jobs of a server on this machine, which needs no database."""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

from guildhall_sdk import Command, UserError
from guildhall_sdk.commands import StandaloneHost
from guildhall_sdk.services.jobs import WorkerModel
from libs.redaction import redact

if TYPE_CHECKING:
    from builtin_plugins.jobs.worker.kinds import Runnable
    from builtin_plugins.jobs.worker.pull_worker import Worker

TOKEN_VARIABLE = "GUILDHALL_WORKER_TOKEN"  # noqa: S105
MAX_SLOTS = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.allow_abbrev = False
    parser.description = f"The token is read from {TOKEN_VARIABLE} or from a file, never from an argument."
    parser.add_argument(
        "--url", required=True, type=_web_url, help="the server, such as https://hall.example"
    )
    parser.add_argument(
        "--token-file", type=Path, help=f"read the token from here, not from {TOKEN_VARIABLE}"
    )
    parser.add_argument("--token", type=_not_as_argument, help=argparse.SUPPRESS)
    parser.add_argument("--kinds", type=_names, help="what to run, a,b (default: all that is installed here)")
    parser.add_argument("--model", metavar="NAME", help="run turns of this model")
    parser.add_argument("--model-url", metavar="URL", type=_web_url, help="where it is, /v1 included")
    parser.add_argument("--model-key-env", metavar="VAR", help="the variable that holds its key")
    parser.add_argument("--slots", type=_slots, default=1, help=f"jobs at a time, 1 to {MAX_SLOTS} (1)")


def run_worker(options: argparse.Namespace, host: StandaloneHost) -> int:
    from builtin_plugins.jobs.worker.api_client import ApiFault, WorkerStuck
    from builtin_plugins.jobs.worker.display import one_line
    from builtin_plugins.jobs.worker.kinds import runnable_kinds

    token = _token(options.token_file)
    for status in host.plugins.statuses():
        if status.status == "quarantined":
            print(f"guildhall: the plugin {status.id} cannot be loaded: {status.reason}", file=sys.stderr)
    kinds = runnable_kinds(host.plugins, _model(options), options.kinds)
    try:
        return asyncio.run(_work(options, token, kinds, host))
    except ApiFault as fault:
        print(f"guildhall: {one_line(fault.message)}", file=sys.stderr)
        _leave(2)
    except WorkerStuck as fault:
        print(f"guildhall: {fault}", file=sys.stderr)
        _leave(1)
    except BrokenPipeError:
        _leave(1)  # nobody reads what we say any more


async def _work(
    options: argparse.Namespace, token: str, kinds: "Mapping[str, Runnable]", host: StandaloneHost
) -> int:
    import httpx

    from builtin_plugins.jobs.worker.api_client import ApiClient
    from builtin_plugins.jobs.worker.clock import RealTime
    from builtin_plugins.jobs.worker.display import AboveLine, LiveLine, PlainLines, ProgressReport
    from builtin_plugins.jobs.worker.pull_worker import Worker
    from libs.model_wire import MODEL_TURN

    clock = RealTime(host.clock)
    live = LiveLine(sys.stdout) if sys.stdout.isatty() else None
    display = live or PlainLines(sys.stdout, clock)
    host.write_log(AboveLine(live, sys.stderr) if live else sys.stderr)
    report = ProgressReport(display)
    headers = {"Authorization": f"Bearer {token}", "User-Agent": f"guildhall-worker/{host.version}"}
    timeout = httpx.Timeout(None, connect=10)
    async with httpx.AsyncClient(base_url=options.url, headers=headers, timeout=timeout) as client:
        models = [options.model] if MODEL_TURN in kinds else []
        worker = Worker(ApiClient(client, clock), clock, kinds, report, models=models, slots=options.slots)
        _stop_on_signals(worker)
        display.event(f"working for {options.url}: {', '.join(sorted(kinds))}")
        if (warning := _in_the_clear(options.url)) is not None:
            display.event(warning)
        try:
            await worker.run()
        finally:
            display.close()
        display.event(f"stopped: {report.total()}")
        return _leave(0) if worker.untidy else 0


def _leave(code: int) -> NoReturn:
    """Leaves at once: threads that handlers left behind would be waited for."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(code)


def _stop_on_signals(worker: "Worker") -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, worker.stop)


def _token(file: Path | None) -> str:
    """Takes the token out of the environment: what the handlers start has no use for it."""
    given = os.environ.pop(TOKEN_VARIABLE, None)
    if file is not None:
        try:
            given = file.read_text("ascii")
        except (OSError, ValueError) as error:
            raise UserError(f"--token-file {redact(str(file))} cannot be read: {_reason(error)}") from None
    token = (given or "").strip()
    if not token:
        raise UserError(f"there is no worker token: set {TOKEN_VARIABLE}, or give --token-file")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise UserError("the worker token is malformed: it is one word of plain letters and digits")
    return token


def _reason(error: Exception) -> str:
    return error.strerror or "?" if isinstance(error, OSError) else "it holds more than a token"


def _model(options: argparse.Namespace) -> WorkerModel | None:
    if options.model is None and options.model_url is None:
        return None
    if options.model is None or options.model_url is None:
        raise UserError("--model and --model-url go together")
    key = None
    if options.model_key_env is not None:
        key = os.environ.pop(options.model_key_env, "")
        if not key:
            raise UserError(f"--model-key-env: {options.model_key_env} is not set")
    return WorkerModel(options.model, options.model_url, key)


def _in_the_clear(url: str) -> str | None:
    parts = urlsplit(url)
    if parts.scheme == "https" or parts.hostname in {"localhost", "127.0.0.1", "::1"}:
        return None
    return "the token and the jobs travel in the clear: use https:// outside of a private network"


def _web_url(text: str) -> str:
    refused = argparse.ArgumentTypeError("takes an http:// or https:// address without a name or password")
    try:
        parts = urlsplit(text)
        bare = not (parts.query or parts.fragment or parts.username or parts.password)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.port == 0 or not bare:
            raise refused
    except ValueError:
        raise refused from None
    return text.rstrip("/")


def _not_as_argument(_text: str) -> str:
    raise argparse.ArgumentTypeError(
        f"arguments can be seen by everybody on this machine: use {TOKEN_VARIABLE} or --token-file"
    )


def _names(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _slots(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MAX_SLOTS:
        raise argparse.ArgumentTypeError(f"takes a whole number from 1 to {MAX_SLOTS}")
    return int(text)


COMMANDS = (
    Command(
        name="worker",
        help="run a server's jobs on this machine",
        standalone=run_worker,
        arguments=add_arguments,
    ),
)
