"""One process of a plugin: the calls that it serves, those that it makes, and its end."""

import asyncio
import logging
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from builtin_plugins.oop.calls import (
    MAX_CALLBACKS,
    OpenCall,
    PluginFailed,
    PluginTimeout,
    memory_in_use,
    processor_seconds,
)
from builtin_plugins.oop.messages import (
    INVALID_PARAMS,
    MAX_LINE,
    REFUSED,
    ProtocolAbuse,
    decode,
    encode,
)
from guildhall_sdk import Principal, Problem, TooLarge, UserError
from libs.sandbox.launch import ENVIRONMENT
from libs.sandbox.launcher import NOT_CONFINED, NOT_STARTED

_log = logging.getLogger("guildhall.oop")
_MAX_UNREAD_BYTES = 4 * MAX_LINE
# For one call, and between two checks for calls that are none.
_MAX_REFUSALS = 100
# A processor fills some hundred MiB in this time.
MEMORY_WATCH_SECONDS = 0.5
# A longer line is read on a thread: it takes milliseconds.
_LONG_LINE = 64 * 1024
_MAX_MESSAGE = 1_000
CALL_ENDED = "The call has ended."
WHILE_SERVING = " while it served this call"
_ENDINGS = {
    NOT_CONFINED: "could not be closed in its sandbox",
    NOT_STARTED: "has a command that cannot be started",
    -signal.SIGXCPU: "used up its time on the processor",
    128 + signal.SIGXCPU: "used up its time on the processor",
    -signal.SIGSYS: "made a system call of another architecture",
    128 + signal.SIGSYS: "made a system call of another architecture",
}

AnswerCallback = Callable[[OpenCall, str, Mapping[str, Any]], Awaitable[Any]]


class Connection:
    """Ends itself when its plugin breaks the rules. `leaving` is done once it takes no further call."""

    def __init__(
        self,
        process: Process,
        kill: Callable[[int], None],
        answer_callback: AnswerCallback,
        memory_bytes: int,
    ) -> None:
        self._process = process
        self._kill_process = kill
        self._answer_callback = answer_callback
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._calls: dict[str, OpenCall] = {}
        self._last_id = 0
        self._strikes = 0
        self._killed_because: str | None = None
        self._checked_at_id, self._checked_seconds = 0, 0.0
        loop = asyncio.get_running_loop()
        self.leaving: asyncio.Future[str] = loop.create_future()
        self._task = loop.create_task(self._run())
        self._memory_watch = loop.create_task(self._watch_memory(memory_bytes))

    @classmethod
    async def open(
        cls,
        command: Sequence[str],
        kill: Callable[[int], None],
        answer_callback: AnswerCallback,
        memory_bytes: int,
    ) -> "Connection":
        """Kills the process once it uses more memory. Raises `OSError` where none can be started."""
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env=dict(ENVIRONMENT),
            cwd="/",
            start_new_session=True,
            limit=MAX_LINE,
        )
        return cls(process, kill, answer_callback, memory_bytes)

    async def close(self) -> None:
        """Kills the process, and comes back when it is gone."""
        self._kill("was stopped")
        await self.wait()

    async def wait(self) -> None:
        """Comes back when the process is gone."""
        await asyncio.wait([self._task])

    async def check_idle(self, max_seconds: float) -> None:
        """Kills one that used the processor for longer since the last check, with nothing asked of it.

        What it called back in vain until now is forgiven.
        """
        seconds = await asyncio.to_thread(processor_seconds, self._process.pid)
        idle = self._last_id == self._checked_at_id and not self._pending
        if idle and seconds - self._checked_seconds > max_seconds:
            self._kill("used the processor while nothing was asked of it")
        self._strikes = 0
        self._checked_at_id = -1 if self._pending else self._last_id
        self._checked_seconds = seconds

    async def request(self, method: str, params: Mapping[str, Any]) -> Any:
        """Returns what the plugin answers. Raises `PluginFailed`, and `UserError` for a user's mistake."""
        self._last_id += 1
        line = encode({"id": self._last_id, "method": method, "params": params})
        if len(line) > MAX_LINE:
            raise TooLarge(f"A call of this tool takes at most {MAX_LINE // 1024} KiB.")
        answer = asyncio.get_running_loop().create_future()
        if self._task.done():
            raise PluginFailed(f"The plugin {self._reason()}.")
        self._pending[self._last_id] = answer
        self._write(line)
        return await answer

    async def call(
        self,
        principal: Principal,
        tool: str,
        arguments: Mapping[str, Any],
        seconds: float,
        ended: Callable[[], None],
    ) -> Any:
        """Calls a tool; a caller who goes away ends what is done for them, not the process that others use.

        `ended` is called when the plugin has answered, or never will.
        """
        call = OpenCall(principal)
        exchange = asyncio.ensure_future(self._exchange(call, tool, arguments, seconds))

        def settle(done: "asyncio.Future[Any]") -> None:
            ended()
            # Nobody may be there any more to hear of it.
            if not done.cancelled():
                done.exception()

        exchange.add_done_callback(settle)
        try:
            return await asyncio.shield(exchange)
        finally:
            if not exchange.done():
                call.end()
                self._write(encode({"method": "cancelled", "params": {"call": call.token}}))

    async def _exchange(self, call: OpenCall, tool: str, arguments: Mapping[str, Any], seconds: float) -> Any:
        self._calls[call.token] = call
        params = {"call": call.token, "name": tool, "arguments": arguments}
        try:
            async with asyncio.timeout(seconds):
                return await self.request("tools/call", params)
        except TimeoutError:
            self._leave("did not answer a call in time")
            raise PluginTimeout(f"The plugin did not answer within {seconds:g} seconds.") from None
        finally:
            self._calls.pop(call.token, None)
            call.end()
            self._kill_if_idle()

    def _leave(self, reason: str) -> None:
        """Takes no further call; those under way may end as they would."""
        if not self.leaving.done():
            self.leaving.set_result(reason)

    def _kill_if_idle(self) -> None:
        waiting = [answer for answer in self._pending.values() if not answer.done()]
        if self.leaving.done() and not waiting:
            self._kill(self.leaving.result())

    def _kill(self, reason: str) -> None:
        if self._killed_because is None:
            self._killed_because = reason
        self._leave(reason)
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._kill_process(self._process.pid)

    def _write(self, line: bytes) -> None:
        pipe = self._process.stdin
        if pipe is None or pipe.is_closing() or self._task.done():
            return
        if pipe.transport.get_write_buffer_size() > _MAX_UNREAD_BYTES:
            self._kill("does not read its input")
            return
        pipe.write(line)

    async def _watch_memory(self, max_bytes: int) -> None:
        """Watches the memory: the kernel's limit does not count pages that were made read-only."""
        in_use = 0
        while in_use <= max_bytes:
            await asyncio.sleep(MEMORY_WATCH_SECONDS)
            in_use = await asyncio.to_thread(memory_in_use, self._process.pid)
        self._kill("used more memory than it may")

    async def _run(self) -> None:
        """Reads until the process is gone, whoever ends it."""
        try:
            await self._read()
        except ProtocolAbuse as abuse:
            self._kill(str(abuse))
        finally:
            self._kill("closed its output")
            stdout = self._process.stdout
            assert stdout is not None
            # What still stands in the pipe is drained, or the wait would not end.
            while await stdout.read(1 << 16):
                pass
            await self._process.wait()
            self._memory_watch.cancel()
            await self._close_input()
            self._fail_all()

    async def _close_input(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        pipe.close()
        # What was still to be written when it ended.
        with suppress(OSError):
            await pipe.wait_closed()

    async def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        while True:
            try:
                line = await stdout.readuntil(b"\n")
            except asyncio.IncompleteReadError as end:
                if end.partial:
                    raise ProtocolAbuse("ended in the middle of a line") from None
                return
            except asyncio.LimitOverrunError:
                raise ProtocolAbuse(f"wrote a line of more than {MAX_LINE // 1024} KiB") from None
            if self._killed_because is not None:
                return
            long = len(line) > _LONG_LINE
            self._take(await asyncio.to_thread(decode, line) if long else decode(line))
            # One that writes without a pause must not hold the loop.
            await asyncio.sleep(0)

    def _take(self, message: Mapping[str, Any]) -> None:
        if "method" in message:
            self._take_callback(message)
            return
        if ("result" in message) == ("error" in message):
            raise ProtocolAbuse("wrote an answer without one of result and error")
        answer_id = message.get("id")
        answer = self._pending.pop(answer_id, None) if type(answer_id) is int else None
        if answer is None:
            raise ProtocolAbuse("answered what nobody asked")
        # A caller who waited too long is not there any more.
        if answer.done():
            return
        if "error" in message:
            answer.set_exception(_refusal(message["error"]))
        else:
            answer.set_result(message["result"])

    def _take_callback(self, message: Mapping[str, Any]) -> None:
        callback_id, method, params = message.get("id"), message["method"], message.get("params", {})
        if not isinstance(callback_id, str | int) or not isinstance(method, str):
            raise ProtocolAbuse("called back without an id, or by no method")
        token = params.get("call") if isinstance(params, dict) else None
        call = self._calls.get(token) if isinstance(token, str) else None
        if call is None:
            self._strikes += 1
            said = "params.call must name a call that you are serving."
            self._refuse(callback_id, "call_ended", said, self._strikes)
        elif call.ended or not call.has_capacity:
            call.refusals += 1
            said = f"A call may call back {MAX_CALLBACKS} times, eight of them at once."
            code, said = ("call_ended", CALL_ENDED) if call.ended else ("too_many_callbacks", said)
            self._refuse(callback_id, code, said, call.refusals)
        else:
            call.callbacks_made += 1
            given = {name: value for name, value in params.items() if name != "call"}
            answering = self._answer(call, callback_id, method, given)
            task = asyncio.get_running_loop().create_task(answering, context=call.context)
            call.callbacks.add(task)
            task.add_done_callback(call.callbacks.discard)

    def _refuse(self, callback_id: str | int, code: str, message: str, times: int) -> None:
        """Refuses a call back; `times` counts them: a few happen to any plugin whose callers go away."""
        if times > _MAX_REFUSALS:
            raise ProtocolAbuse("called back too often in ways that are refused")
        self._write(_error_line(callback_id, REFUSED, code, message))

    async def _answer(
        self, call: OpenCall, callback_id: str | int, method: str, params: Mapping[str, Any]
    ) -> None:
        try:
            line = encode({"id": callback_id, "result": await self._answer_callback(call, method, params)})
            if len(line) > MAX_LINE:
                line = _error_line(callback_id, REFUSED, "too_large", "The answer is too large for a line.")
        except Problem as problem:
            number = INVALID_PARAMS if problem.status == 400 else REFUSED
            line = _error_line(callback_id, number, problem.code, problem.detail)
        except asyncio.CancelledError:
            # Whoever waits for it in the program need not wait for ever.
            self._write(_error_line(callback_id, REFUSED, "call_ended", CALL_ENDED))
            raise
        except Exception:
            _log.exception("oop.callback_failed", extra={"fields": {"method": method[:64]}})
            line = _error_line(callback_id, REFUSED, "internal", "Something went wrong.")
        self._write(line)

    def _reason(self) -> str:
        status = self._process.returncode
        if self._killed_because in (None, "closed its output") and status is not None:
            return _ENDINGS.get(status, f"ended with status {status}")
        return self._killed_because or "is gone"

    def _fail_all(self) -> None:
        reason = self._reason()
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(PluginFailed(f"The plugin {reason}{WHILE_SERVING}."))
        self._pending.clear()
        self._leave(reason)


def _refusal(error: Any) -> Problem:
    message = error.get("message") if isinstance(error, dict) else None
    said = message[:_MAX_MESSAGE] if isinstance(message, str) and message else "it did not say why"
    if isinstance(error, dict) and error.get("code") == INVALID_PARAMS:
        return UserError(said)
    return PluginFailed(f"The plugin refused: {said}")


def _error_line(callback_id: str | int, number: int, code: str, message: str) -> bytes:
    return encode({"id": callback_id, "error": {"code": number, "message": message, "data": {"code": code}}})
