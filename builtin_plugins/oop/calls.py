"""A call that a plugin is serving: whose it is, how it fails, and what the plugin's processes use."""

import asyncio
import contextvars
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from guildhall_sdk import Principal, Unavailable
from guildhall_sdk.errors import BadGateway, GatewayTimeout

MAX_CALLBACKS = 200
MAX_CALLBACKS_AT_ONCE = 8
_TICKS = os.sysconf("SC_CLK_TCK")
# In the line of a process: those in the program's own code and those in the kernel on its behalf.
_OWN, _SYSTEM = 11, 12
# Not the pages of files, which the system can take back.
_MEMORY = frozenset({"RssAnon", "RssShmem", "VmSwap"})


class PluginFailed(BadGateway):
    code = "plugin_failed"
    title = "The plugin failed"


class PluginTimeout(GatewayTimeout):
    code = "plugin_timeout"
    title = "The plugin did not answer in time"


class PluginUnavailable(Unavailable):
    code = "plugin_unavailable"
    title = "The plugin is not running"


@dataclass(slots=True, eq=False)
class OpenCall:
    """`token` is what the plugin names it by; it opens nothing any more once the call has ended.

    `context` is the caller's: what is enqueued on their behalf has the scope of their credential.
    """

    principal: Principal
    token: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    context: contextvars.Context = field(default_factory=contextvars.copy_context)
    callbacks_made: int = 0
    refusals: int = 0
    ended: bool = False
    callbacks: "set[asyncio.Task[None]]" = field(default_factory=set)

    @property
    def has_capacity(self) -> bool:
        return self.callbacks_made < MAX_CALLBACKS and len(self.callbacks) < MAX_CALLBACKS_AT_ONCE

    def end(self) -> None:
        self.ended = True
        for task in self.callbacks:
            task.cancel()


def processor_seconds(pid: int) -> float:
    """Returns the time of a process and those below it, in all threads; 0 of one that is gone or hidden."""
    return sum(_processor_seconds(process) for process in _processes(Path(f"/proc/{pid}")))


def memory_in_use(pid: int) -> int:
    """Returns the bytes of a process and those below it; 0 of one that is gone or hidden."""
    return sum(_memory_bytes(process) for process in _processes(Path(f"/proc/{pid}")))


def _processes(process: Path) -> Iterator[Path]:
    yield process
    with suppress(OSError):
        for child in (process / "task" / process.name / "children").read_text().split():
            yield from _processes(process.with_name(child))


def _processor_seconds(process: Path) -> float:
    with suppress(OSError, ValueError, IndexError):
        fields = (process / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[_OWN]) + int(fields[_SYSTEM])) / _TICKS
    return 0.0


def _memory_bytes(process: Path) -> int:
    with suppress(OSError, ValueError):
        lines = (line.partition(":") for line in (process / "status").read_text().splitlines())
        return sum(int(value.split()[0]) << 10 for name, _, value in lines if name in _MEMORY)
    return 0
