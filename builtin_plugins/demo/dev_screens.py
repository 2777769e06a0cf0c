"""The screens of plugins under `guildhall dev`: by Vite's own server where a project can, else built anew."""

import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from builtin_plugins.demo.dev_server import Sources
from builtin_plugins.demo.servers import LOOPBACK, free_port, is_listened_to
from guildhall_sdk.errors import OperatorError
from libs.source_distribution import entries_of

PLUGIN_ENTRIES = "guildhall.plugins"
_VITE = Path("node_modules/.bin/vite")
#: A kit that has this can stand before a hall.
_BEFORE_HALL = Path("node_modules/@guildhall/console/vite-dev.mjs")
_POLL_SECONDS = 0.1
_LONGEST_START = 60.0


@contextmanager
def served_screens(sources: Sources, front: int) -> Iterator[int]:
    """Serves the screens of the first project that can; returns the port that the hall is to have.

    There Vite is what people reach, and asks the hall for all else. Screens of further projects are built
    again as their sources change, and the hall is restarted with them.
    """
    with ExitStack() as stack:
        port = front
        for folder in sources.folders:
            screens = folder / "screens"
            if not (screens / _VITE).exists():
                continue
            plugin = entries_of(folder, PLUGIN_ENTRIES)[0]
            if port == front and (screens / _BEFORE_HALL).exists():
                port = free_port(0)
                stack.enter_context(_before_hall(screens, plugin, port, front))
            else:
                stack.enter_context(_running(screens, "build", "--watch"))
        yield port


@contextmanager
def _before_hall(screens: Path, plugin: str, port: int, front: int) -> Iterator[None]:
    """Runs Vite's server at one port, before a hall that will be at another."""
    told = {
        "GUILDHALL_DEV_HALL": f"http://{LOOPBACK}:{port}",
        "GUILDHALL_DEV_PLUGIN": plugin,
        "GUILDHALL_DEV_ORIGIN": f"http://{LOOPBACK}:{front}",
    }
    words = ("--host", LOOPBACK, "--port", str(front), "--strictPort")
    with _running(screens, *words, **told) as vite:
        limit = time.monotonic() + _LONGEST_START
        while not is_listened_to(front):
            if vite.poll() is not None or time.monotonic() > limit:
                raise OperatorError(f"Vite does not serve the screens in {screens}: see what it says above")
            time.sleep(_POLL_SECONDS)
        yield


@contextmanager
def _running(screens: Path, *words: str, **told: str) -> Iterator["subprocess.Popen[bytes]"]:
    command = [str(screens / _VITE), *words]
    vite = subprocess.Popen(  # noqa: S603 - the author's
        command, cwd=screens, env=_environment(told), start_new_session=True, stdout=subprocess.DEVNULL
    )
    try:
        yield vite
    finally:
        vite.terminate()
        vite.wait()


def _environment(told: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, **told}
