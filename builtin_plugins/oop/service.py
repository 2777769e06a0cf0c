"""All out-of-process plugins of this server process, and their settings; without `SERVICE_OOP`, no more."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from guildhall_sdk import Host, Problem, Setting, Tool, Unavailable
from guildhall_sdk.settings import boolean, path, seconds, whole
from libs.names import is_foreign_tool_of

if TYPE_CHECKING:
    from builtin_plugins.oop.manifests import BrokenManifest
    from builtin_plugins.oop.runner import Runner


def existing_folder(given: Path | None) -> str | None:
    return None if given is None or given.is_dir() else "must be a folder that exists"


FOLDER: Setting[Path | None] = Setting(
    name="oop",
    variable="SERVICE_OOP",
    help="folder of out-of-process plugins",
    default=None,
    parse=path,
    check=existing_folder,
)
UNCONFINED = Setting(
    name="unconfined",
    help="on: out-of-process plugins run even where the system offers no sandbox for them",
    default=False,
    parse=boolean,
)
CALL_SECONDS = Setting(
    name="timeout",
    help="how long an out-of-process plugin may take to answer one call",
    default=60,
    parse=seconds,
)
MEMORY_MIB = Setting(
    name="memory_mib",
    help="the memory of one out-of-process plugin, in MiB",
    default=512,
    parse=whole(64, 65_536),
)

SETTINGS: Sequence[Setting[Any]] = (FOLDER, UNCONFINED, CALL_SECONDS, MEMORY_MIB)

SOURCE = "oop"


class ProgramSandbox:
    """Implements the SDK's `Sandbox`."""

    async def tier(self) -> Literal["A", "B", "C"]:
        from libs.sandbox.isolation import measured_isolation

        return (await measured_isolation()).tier

    async def command(
        self, folder: Path, command: Sequence[str], *, memory_bytes: int = 512 << 20, cpu_seconds: int = 600
    ) -> Sequence[str]:
        from libs.sandbox.isolation import REMEDY, measured_isolation
        from libs.sandbox.launch import Program

        isolation = await measured_isolation()
        if isolation.tier == "C":
            raise Unavailable(f"There is no sandbox on this machine; {REMEDY}.")
        program = Program(folder=folder, command=command, memory_bytes=memory_bytes, cpu_seconds=cpu_seconds)
        return isolation.command(program)


class Programs:
    """One for each server."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._runners: Mapping[str, Runner] = {}
        self._broken: Sequence[BrokenManifest] = ()

    def start(self) -> None:
        """Begins to start them, where there is a folder of them; the boot waits for none."""
        folder = self._host.setting(FOLDER)
        if folder is None:
            return
        from builtin_plugins.oop.manifests import BrokenManifest, Manifest, read_manifests
        from builtin_plugins.oop.runner import Runner

        found = read_manifests(folder)
        self._broken = [one for one in found if isinstance(one, BrokenManifest)]
        self._runners = {one.id: Runner(self._host, one) for one in found if isinstance(one, Manifest)}
        for plugin_id, runner in self._runners.items():
            self._host.background(f"plugin {plugin_id}", runner.run)

    async def stop(self) -> None:
        for runner in self._runners.values():
            await runner.stop()

    def tools(self) -> Sequence[Tool]:
        """Returns the tools of all plugins that are or were connected."""
        return [
            tool for runner in self._runners.values() for tool in runner.tools(self._taken_before(runner))
        ]

    def missing(self, name: str) -> Problem | None:
        """Returns why a tool of this name is not offered; None for one that no plugin has."""
        for plugin_id, runner in self._runners.items():
            if not runner.was_listed and is_foreign_tool_of(name, SOURCE, plugin_id):
                return runner.absence(name)
        return None

    def _taken_before(self, runner: "Runner") -> Mapping[str, str]:
        """Returns the names that plugins before this one have, and whose each is."""
        taken: dict[str, str] = {}
        for plugin_id, other in self._runners.items():
            if other is runner:
                break
            taken |= dict.fromkeys(other.names, plugin_id)
        return taken

    def requested(self, plugin_id: str) -> Sequence[str] | None:
        """Returns the capabilities that a plugin requests; None where there is no such plugin."""
        if any(one.id == plugin_id for one in self._broken):
            return ()
        runner = self._runners.get(plugin_id)
        return None if runner is None else runner.manifest.capabilities

    async def describe(self, *, with_detail: bool) -> list[dict[str, Any]]:
        """Returns each plugin as the API shows it, but for what is granted."""
        if not self._runners and not self._broken:
            return []
        from libs.sandbox.isolation import measured_isolation

        isolation = await measured_isolation()
        tier = {"tier": isolation.tier, "measured": asdict(isolation.measured)}
        broken: list[dict[str, Any]] = [
            {
                "id": one.id,
                "name": None,
                "version": None,
                "description": None,
                "status": "broken",
                "detail": one.reason if with_detail else None,
                **tier,
                "requested": [],
                "tools": [],
                "left_out": [],
            }
            for one in self._broken
        ]
        running = [runner.describe() | tier for runner in self._runners.values()]
        return broken + [one if with_detail else one | {"detail": None} for one in running]
