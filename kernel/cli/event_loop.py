"""The event loop of a server: uvloop's where it is installed, else that of the standard library."""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

FAST = "uvloop"
HOW_TO_INSTALL = "pip install 'guildhall-server[fast]'"


def run(main: Coroutine[Any, Any, None]) -> None:
    """Runs a server to its end."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(main)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def describe() -> str:
    """Returns which one a server of this installation runs on."""
    if _loop_factory() is not None:
        return f"{FAST} {version(FAST)}"
    if sys.platform == "win32":
        return "asyncio"
    fault = "is installed but cannot be imported" if find_spec(FAST) else "is not installed"
    return f"asyncio; {FAST}, which takes less CPU, {fault}: {HOW_TO_INSTALL}"
