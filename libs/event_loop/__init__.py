"""The event loop of a process: uvloop's where it is installed, else that of the standard library."""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

FAST = "uvloop"


def run(main: Coroutine[Any, Any, None]) -> None:
    """Runs a program to its end."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(main)


def describe(how_to_install: str) -> str:
    """Returns which one `run` runs on; `how_to_install` is the command that brings the faster one."""
    if _loop_factory() is not None:
        return f"{FAST} {version(FAST)}"
    if sys.platform == "win32":
        return "asyncio"
    fault = "is installed but cannot be imported" if find_spec(FAST) else "is not installed"
    return f"asyncio; {FAST}, which takes less CPU, {fault}: {how_to_install}"


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
