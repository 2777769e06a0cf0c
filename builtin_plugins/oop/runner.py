"""One plugin while the server runs: its process, started again when it ends, and the calls to it."""

import asyncio
import logging
from asyncio import sleep as pause
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from builtin_plugins.oop.callbacks import Callbacks
from builtin_plugins.oop.calls import PluginFailed, PluginUnavailable
from builtin_plugins.oop.connection import WHILE_SERVING, Connection
from builtin_plugins.oop.manifests import LeftOut, Manifest, OfferedTool, read_tools
from builtin_plugins.oop.messages import ProtocolAbuse
from builtin_plugins.oop.service import CALL_SECONDS, MEMORY_MIB, SOURCE, UNCONFINED
from guildhall_sdk import Host, Principal, Problem, Tool, TooManyRequests
from guildhall_sdk.errors import BadGateway, ToolNotReady
from guildhall_sdk.tools import Tools
from libs.sandbox.isolation import REMEDY, Isolation, measured_isolation
from libs.sandbox.launch import Program

PROTOCOL = 1
FIRST_DELAY_SECONDS = 1.0
MAX_DELAY_SECONDS = 60.0
# After so long a life the next end counts as the first.
STEADY_SECONDS = 60.0
START_SECONDS = 20.0
WAIT_SECONDS = 10.0
# How often one is looked at, and how much of a processor it may use while nothing is asked of it.
WATCH_SECONDS, MAX_IDLE_SHARE = 10.0, 0.5
MAX_CALLS, MAX_CALLS_OF_TEAM = 16, 8
# What the processes around a program use, and what it has beside what it can write to.
_SANDBOX_BYTES = 64 << 20
_WITHOUT_SANDBOX = "set SERVICE_OOP_UNCONFINED=on to run such programs without it"
_log = logging.getLogger("guildhall.oop")

Status = Literal["connected", "connecting", "down", "refused"]


class Runner:
    """Tools that were offered once stay while the process is started again: what a team chose stands."""

    def __init__(self, host: Host, manifest: Manifest) -> None:
        self.manifest = manifest
        self._host = host
        self._callbacks = Callbacks(host, manifest.id, manifest.capabilities)
        self._status: Status = "connecting"
        self._detail: str | None = None
        self._offered: Sequence[OfferedTool] = ()
        self._listed: Any = None
        self._has_ended = False
        self._unreadable: Sequence[LeftOut] = ()
        self._clashing: Mapping[str, str] = {}
        self._refused: Mapping[str, str] = {}
        self._connections: set[Connection] = set()
        self._leaving: set[asyncio.Future[None]] = set()
        self._current: Connection | None = None
        self._ready = asyncio.Event()
        self._slots = asyncio.Semaphore(MAX_CALLS)
        self._calls_of_team: Counter[str] = Counter()

    async def run(self) -> None:
        """Runs the plugin until the server stops; without a sandbox for it, it is not started."""
        isolation = await measured_isolation()
        unconfined = self._host.setting(UNCONFINED)
        if isolation.tier == "C" and not unconfined:
            self._refuse(f"there is no sandbox for it; {REMEDY}, or {_WITHOUT_SANDBOX}")
            return
        if isolation.tier != "C" and self._program().reads(self._host.settings.data):
            self._refuse("SERVICE_DATA is a folder that it could read; move that, or the plugin")
            return
        delay = 0.0
        while True:
            began = asyncio.get_running_loop().time()
            reason = await self._live(isolation, unconfined=unconfined)
            self._status, self._detail, self._has_ended = "down", reason, True
            self._log("oop.ended", reason=reason)
            lived = asyncio.get_running_loop().time() - began
            steady = lived > STEADY_SECONDS or delay == 0.0
            delay = FIRST_DELAY_SECONDS if steady else min(MAX_DELAY_SECONDS, 2 * delay)
            await pause(delay)

    async def stop(self) -> None:
        await asyncio.gather(*(connection.close() for connection in self._connections))

    async def call(self, principal: Principal, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Raises `PluginFailed`, `PluginTimeout`, `PluginUnavailable`, `TooManyRequests` and `UserError`."""
        if self._calls_of_team[principal.team_id] >= MAX_CALLS_OF_TEAM:
            raise self._busy()
        self._calls_of_team[principal.team_id] += 1
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await self._slots.acquire()
        except TimeoutError:
            self._release_team(principal.team_id)
            raise self._busy() from None
        except BaseException:
            self._release_team(principal.team_id)
            raise
        try:
            connection = await self._connected()
        except BaseException:
            self._release(principal.team_id)
            raise
        # Who goes away leaves their place taken until the plugin has answered.
        seconds = float(self._host.setting(CALL_SECONDS))
        return await connection.call(
            principal, tool, arguments, seconds, ended=lambda: self._release(principal.team_id)
        )

    @property
    def was_listed(self) -> bool:
        """Whether it has said which tools it has since this process began."""
        return self._listed is not None

    def absence(self, name: str) -> Problem:
        """Returns the refusal of a call of one that has not said which tools it has."""
        if self._status == "connecting" and not self._has_ended:
            return ToolNotReady(name)
        return BadGateway(f"The plugin {self.manifest.id} is not running.", code="tool_unavailable")

    @property
    def names(self) -> Sequence[str]:
        return [tool.name for tool in self._offered]

    def tools(self, taken: Mapping[str, str]) -> Sequence[Tool]:
        """Returns its tools, without those whose name another plugin has, as `taken` says."""
        self._clashing = {
            tool.original: f"the plugin {taken[tool.name]} has a tool {tool.name} already"
            for tool in self._offered
            if tool.name in taken
        }
        return [
            Tool(
                tool.name,
                tool.description,
                tool.permission,
                hosted=self._hosted(tool),
                schema=tool.schema,
                enabled_by_default=False,
            )
            for tool in self._offered
            if tool.name not in taken
        ]

    def describe(self) -> dict[str, Any]:
        not_taken = {**self._refused, **self._clashing}
        left_out = [(one.name, one.reason) for one in self._unreadable] + [*not_taken.items()]
        return {
            "id": self.manifest.id,
            "name": self.manifest.name,
            "version": self.manifest.version,
            "description": self.manifest.description,
            "status": self._status,
            "detail": self._detail,
            "requested": list(self.manifest.capabilities),
            "tools": [
                {"name": tool.name, "original": tool.original}
                for tool in self._offered
                if tool.original not in not_taken
            ],
            "left_out": [{"name": name, "reason": reason} for name, reason in left_out],
        }

    async def _live(self, isolation: Isolation, *, unconfined: bool) -> str:
        """Runs one process until it takes no further call; returns why."""
        self._status, self._detail = "connecting", None
        program = self._program()
        try:
            connection = await Connection.open(
                isolation.command(program, unconfined=unconfined),
                isolation.kill,
                self._callbacks.answer,
                program.memory_bytes + _SANDBOX_BYTES,
            )
        except OSError as error:
            return f"could not be started ({error.strerror})"
        self._connections.add(connection)
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._introduce(connection)
            self._current, self._status = connection, "connected"
            self._ready.set()
            return await self._watch(connection)
        except (Problem, ProtocolAbuse, TimeoutError) as fault:
            await connection.close()
            return _start_fault(fault)
        finally:
            self._current = None
            self._ready.clear()
            self._forget(connection)

    def _program(self) -> Program:
        return Program(
            folder=self.manifest.folder,
            command=self.manifest.command,
            memory_bytes=self._host.setting(MEMORY_MIB) << 20,
        )

    async def _watch(self, connection: Connection) -> str:
        """Watches the process until it takes no further call; returns why."""
        while not (await asyncio.wait([connection.leaving], timeout=WATCH_SECONDS))[0]:
            await connection.check_idle(WATCH_SECONDS * MAX_IDLE_SHARE)
        return connection.leaving.result()

    async def _introduce(self, connection: Connection) -> None:
        version = self._host.settings.version
        await connection.request(
            "initialize", {"protocol": PROTOCOL, "server": {"name": "guildhall", "version": version}}
        )
        listed = await connection.request("tools/list", {})
        if listed == self._listed:
            return
        self._offered, unreadable = read_tools(self.manifest.id, listed)
        reasons = await self._host.service(Tools).refresh(SOURCE)
        self._unreadable = unreadable
        self._refused = {tool.original: reasons[tool.name] for tool in self._offered if tool.name in reasons}
        self._listed = listed

    def _forget(self, connection: Connection) -> None:
        """Forgets a connection that leaves; its calls under way may still end."""

        async def wait_for_end() -> None:
            await connection.wait()
            self._connections.discard(connection)

        gone = asyncio.ensure_future(wait_for_end())
        self._leaving.add(gone)
        gone.add_done_callback(self._leaving.discard)

    async def _connected(self) -> Connection:
        if self._current is None and self._status != "refused":
            try:
                async with asyncio.timeout(WAIT_SECONDS):
                    await self._ready.wait()
            except TimeoutError:
                pass
        if self._current is None:
            raise PluginUnavailable(f"The plugin {self.manifest.id} is not running; try again later.")
        return self._current

    def _hosted(self, tool: OfferedTool) -> Callable[[Host, Principal, Mapping[str, Any]], Awaitable[Any]]:
        async def run(host: Host, principal: Principal, arguments: Mapping[str, Any]) -> Any:
            return await self.call(principal, tool.original, arguments)

        return run

    def _busy(self) -> TooManyRequests:
        return TooManyRequests(
            f"The plugin {self.manifest.id} serves as many calls as it may; try again shortly.",
            code="concurrency_exceeded",
            headers={"Retry-After": "1"},
        )

    def _release(self, team_id: str) -> None:
        self._slots.release()
        self._release_team(team_id)

    def _release_team(self, team_id: str) -> None:
        self._calls_of_team[team_id] -= 1
        if not self._calls_of_team[team_id]:
            del self._calls_of_team[team_id]

    def _refuse(self, reason: str) -> None:
        self._status, self._detail = "refused", reason
        self._log("oop.refused", reason=reason)

    def _log(self, action: str, **fields: str) -> None:
        _log.warning(action, extra={"fields": {"oop": self.manifest.id, **fields}})


def _start_fault(fault: BaseException) -> str:
    if isinstance(fault, PluginFailed):
        return fault.detail.removeprefix("The plugin ").removesuffix(f"{WHILE_SERVING}.")
    if isinstance(fault, TimeoutError):
        return "did not answer initialize and tools/list in time"
    return str(fault)
