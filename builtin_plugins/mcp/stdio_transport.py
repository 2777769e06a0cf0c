"""MCP over the standard input and output of a child process. Imported only where an entry needs it.

The SDK's own transport passes on variables of ours, waits for a line of any length and leaves nothing to tell
why a child ended; this one is bounded.
"""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCMessage, JSONRPCRequest, jsonrpc_message_adapter

from builtin_plugins.mcp.entries import StdioEntry
from builtin_plugins.mcp.losses import Lost, SessionWatch
from builtin_plugins.mcp.messages import (
    ANSWER_TOO_LARGE,
    MAX_MESSAGE_BYTES,
    TOO_LARGE_WORDS,
    LineBuffer,
    ReadingPace,
    answered_id,
    has_too_many_values,
)

# Of an answer that is too large: it is read past, so that it ends one call and not the session.
_MAX_SKIPPED_BYTES = 128 * 1024 * 1024
_PIECE_BYTES = 64 * 1024
_MAX_GARBAGE_LINES = 100
_MAX_LOGGED_LINES = 50
_MAX_LOGGED_CHARACTERS = 500
_MAX_ERROR_LINE_BYTES = 16 * 1024
_END_SECONDS = 1.0
_LAUNCHER = str(Path(__file__).with_name("launcher.py"))
_log = logging.getLogger("guildhall.mcp")

Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


@asynccontextmanager
async def stdio_streams(entry: StdioEntry, watch: SessionWatch) -> AsyncIterator[Streams]:
    """Runs the child as long as the block lasts; `watch` learns when it ends by itself."""
    child = await _Child.start(entry)
    # No await until the tasks are there: what is cancelled in between would leave the child behind.
    sender, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write_stream, receiver = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = [
        asyncio.create_task(child.read_messages(sender, watch)),
        asyncio.create_task(child.write_messages(receiver, watch)),
        asyncio.create_task(child.read_errors(0 if watch.quiet else _MAX_LOGGED_LINES)),
    ]
    try:
        yield read_stream, write_stream
    finally:
        ending = asyncio.create_task(child.end())
        for stream in (sender, read_stream, write_stream, receiver):
            stream.close()
        try:
            await asyncio.shield(ending)
        finally:
            for task in tasks:
                task.cancel()


class _Child:
    def __init__(self, entry: StdioEntry, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        self._entry = entry
        self._process = process
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._last_words = ""
        self._ending = False
        # Whether it has taken what was written to it.
        self._taken = asyncio.Event()
        self._taken.set()

    @classmethod
    async def start(cls, entry: StdioEntry) -> "_Child":
        environment = entry.environment
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", "-B", _LAUNCHER, str(os.getpid())),
            *(str(len(environment)), *environment),
            *(entry.command, *entry.args),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment,
            cwd=entry.cwd,
            start_new_session=True,
            limit=_PIECE_BYTES,
        )
        return cls(entry, process)

    async def read_messages(self, sender: Incoming, watch: SessionWatch) -> None:
        try:
            await self._pass_on(sender)
            await self._has_exited()
            if not self._ending:
                watch.lose(Lost(self._how_it_ended()))
        except Lost as lost:
            watch.lose(lost)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            pass  # the session is over
        finally:
            sender.close()

    async def _pass_on(self, sender: Incoming) -> None:
        garbage = 0
        async for line in self._lines():
            message = _read(line)
            if message is None:
                # Some print a greeting; one that says nothing else is no MCP server.
                garbage += bool(line.text.strip())
                if garbage > _MAX_GARBAGE_LINES:
                    raise Lost("answers what is no MCP message") from None
                continue
            garbage = 0
            if isinstance(message, JSONRPCRequest):
                # Its answer waits for a child that reads nothing, and must not be one of thousands.
                await self._taken.wait()
            await sender.send(SessionMessage(message))

    async def _lines(self) -> AsyncIterator[LineBuffer]:
        pace, line = ReadingPace(), LineBuffer()
        while piece := await self._read_piece():
            await pace.spend(size=len(piece))
            *whole, rest = piece.split(b"\n")
            for part in whole:
                line.add(part)
                await pace.spend(lines=1)
                yield line
                line = LineBuffer()
            line.add(rest)
            if line.is_cut and (line.skipped > _MAX_SKIPPED_BYTES or not line.text.lstrip().startswith(b"{")):
                raise Lost(f"sent a message of more than {MAX_MESSAGE_BYTES // 2**20} MiB")

    async def _read_piece(self) -> bytes:
        try:
            return await self._stdout.read(_PIECE_BYTES)
        except OSError:
            return b""

    async def write_messages(
        self, receiver: MemoryObjectReceiveStream[SessionMessage], watch: SessionWatch
    ) -> None:
        try:
            async for message in receiver:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                if not watch.lost.done():
                    self._stdin.write(text.encode() + b"\n")
                    await self._drain(watch)
        except OSError:
            pass  # its end is seen, and told, where its output is read
        except anyio.ClosedResourceError:
            pass
        except ValueError:
            watch.lose(Lost("cannot be sent what it was asked"))

    async def _drain(self, watch: SessionWatch) -> None:
        """Waits until the child has taken what was written, or the session is over."""
        if not self._stdin.transport.get_write_buffer_size():
            return
        self._taken.clear()
        drained = asyncio.ensure_future(self._stdin.drain())
        both: set[asyncio.Future[Any]] = {drained, watch.lost}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if drained.done():
                drained.result()
        finally:
            drained.cancel()
        self._taken.set()

    async def read_errors(self, logged_lines: int) -> None:
        """Logs so many lines of its errors, without secrets; the last says why a child ended."""
        pace, begun = ReadingPace(), b""
        while piece := await self._stderr.read(4096):
            await pace.spend(size=len(piece))
            # By whole lines: half of a secret would not be known as one.
            *whole, begun = (begun + piece).split(b"\n")
            begun = begun[:_MAX_ERROR_LINE_BYTES]
            for line in whole:
                logged_lines -= self._take_error(line, logged=logged_lines > 0)
        self._take_error(begun, logged=logged_lines > 0)

    def _take_error(self, line: bytes, *, logged: bool) -> bool:
        """Logs a line of the child's errors; returns whether there is anything in it."""
        words = self._entry.hide_secrets(line[:_MAX_ERROR_LINE_BYTES].decode("utf-8", "replace")).strip()
        if words:
            self._last_words = words[:_MAX_LOGGED_CHARACTERS]
            if logged:
                fields = {"server": self._entry.name, "line": self._last_words}
                _log.info("mcp.stderr", extra={"fields": fields})
        return bool(words)

    def _how_it_ended(self) -> str:
        code = self._process.returncode
        if code is None:
            ended = "has closed its output"
        elif code < 0:
            ended = f"was ended by signal {-code}"
        else:
            ended = f"has ended with code {code}"
        return f"{ended}: {self._last_words}" if self._last_words else ended

    async def end(self) -> None:
        """Closes its input, and then kills it with all that it started; every wait is short."""
        self._ending = True
        with suppress(OSError):
            self._stdin.close()
        for number in (signal.SIGTERM, signal.SIGKILL):
            exited = await self._has_exited()
            # What it started itself may still be there.
            self._signal(signal.SIGKILL if exited else number)
            if exited:
                break
        await self._has_exited()
        # What was left unread, or is held open by others, would keep its pipes.
        self._process._transport.close()  # type: ignore[attr-defined]

    async def _has_exited(self) -> bool:
        """Looks for a second. `Process.wait` would wait for its pipes too, which others may hold open."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + _END_SECONDS
        while self._process.returncode is None and loop.time() < ends:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        return self._process.returncode is not None

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def _read(line: LineBuffer) -> JSONRPCMessage | None:
    """Reads a line; None for what is no message. An answer that is too large is an error instead."""
    if line.is_cut or has_too_many_values(line.text):
        request_id = answered_id(line.text)
        if request_id is None:
            return None
        error = ErrorData(code=ANSWER_TOO_LARGE, message=TOO_LARGE_WORDS)
        return JSONRPCError(jsonrpc="2.0", id=request_id, error=error)
    try:
        return jsonrpc_message_adapter.validate_json(line.text, by_name=False)
    except ValueError:
        return None
