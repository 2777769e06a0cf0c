"""One confined child process: started for one document, bounded in answer and time, and gone with it."""

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from libs.sandbox.launch import ENVIRONMENT, confined_command

# The child ends itself in time; this is for one that cannot.
_GRACE_SECONDS = 2


class Ended(NamedTuple):
    """What the child answered, and its exit status; of an answer that was too long one byte too many."""

    answer: bytes
    status: int


def child_command(module: str) -> Sequence[str]:
    """Returns the command that runs `main` of a module of `reading`, with the request as its argument."""
    # Not by -m, which would import the plugin around it, the SDK and all that they need.
    program = f"sys.path.insert(0, sys.argv[2]); from reading.{module} import main; main(sys.argv[3])"
    return confined_command(program, str(Path(__file__).parent))


async def run_child(
    command: Sequence[str], request: str, document: BinaryIO, max_bytes: int, wall_seconds: float
) -> Ended | None:
    """Runs a child with the document as its input; returns None where it took too long.

    Raises `OSError` where none can be started.
    """
    process = await asyncio.create_subprocess_exec(
        *command,
        request,
        stdin=document,
        stdout=PIPE,
        stderr=DEVNULL,
        env=dict(ENVIRONMENT),
        cwd="/",
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(wall_seconds + _GRACE_SECONDS):
            answer = await _read_bounded(process, max_bytes)
            return Ended(answer, 0 if len(answer) > max_bytes else await process.wait())
    except TimeoutError:
        _kill_group(process)
        return None
    finally:
        await _end(process)


async def _read_bounded(process: Process, max_bytes: int) -> bytes:
    """Reads up to one byte more than allowed, so that too much can be told from just enough."""
    assert process.stdout is not None
    chunks: list[bytes] = []
    room = max_bytes + 1
    while room and (chunk := await process.stdout.read(room)):
        chunks.append(chunk)
        room -= len(chunk)
    return b"".join(chunks)


async def _end(process: Process) -> None:
    """Ends a process with its group, and drains the pipe, or the wait would not end."""
    if process.returncode is None:
        _kill_group(process)
        assert process.stdout is not None
        while await process.stdout.read(1 << 16):
            pass
        await process.wait()


def _kill_group(process: Process) -> None:
    """Kills the group, which outlives its leader while anyone is in it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
