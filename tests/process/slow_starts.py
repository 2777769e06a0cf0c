"""A supervisor of small processes: the first of all, or three that come after it, hang as they start."""

import asyncio
import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

from builtin_plugins.processes import supervisor
from kernel.logs import configure_logging
from libs.listener import bound_socket
from libs.own_process.supervision import ServerProcess, Supervision

HANGING = 3


def main(folder: Path, *, first_hangs: bool) -> int:
    configure_logging("info", sys.stderr)
    supervisor._MAX_START_CHECKS = 2

    def serve(supervised: ServerProcess) -> None:
        if supervised.is_first == first_hangs and _is_to_hang(folder):
            threading.Event().wait()
        asyncio.run(_serve(supervised))

    supervision = Supervision(
        count=3,
        listener=bound_socket("127.0.0.1:0"),
        serve=serve,
        hang_seconds=5,
        stop_signals=(signal.SIGTERM, signal.SIGINT),
    )
    return supervisor.Supervisor(supervision).run()


def _is_to_hang(folder: Path) -> bool:
    """Tells whether this process is one of those that hang, each of which leaves its number in a file."""
    for number in range(HANGING):
        with suppress(FileExistsError), (folder / str(number)).open("x") as file:
            file.write(str(os.getpid()))
            return True
    return False


async def _serve(supervised: ServerProcess) -> None:
    stopping = asyncio.Event()
    supervised.watch_for_stop(stopping, asyncio.Event())
    supervised.report_started({})
    await stopping.wait()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), first_hangs=sys.argv[2:] == ["first"]))
