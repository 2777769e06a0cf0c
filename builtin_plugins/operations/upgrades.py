"""Upgrades in two halves: a new version adds, and takes away only when nobody needs the old any more."""

import asyncio
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from guildhall_sdk import Host, Reader, Setting
from guildhall_sdk.commands import OpenedHost
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.services.server import InstanceFacts, LiveServer, SchemaUpgrade
from guildhall_sdk.settings import whole

#: Facts: when a version first served this data, what is put off since when, and that it waits for a command.
_FIRST, _PUT_OFF, HELD = "operations_version:", "operations_put_off", "operations_upgrade_held"
_EVERY_SECONDS = 60.0
_DAY = 86_400
FINISH_SECONDS: Setting[int] = Setting(
    name="upgrade_finish_seconds",
    variable="SERVICE_UPGRADE_FINISH_SECONDS",
    help="how long after an upgrade what the version before needs is taken away; until then one can go back",
    default=_DAY,
    parse=whole(),
)
_log = logging.getLogger("guildhall.upgrade")


@dataclass(frozen=True, slots=True)
class UpgradeState:
    """How far an upgrade is; times are milliseconds since 1970."""

    version: str
    servers: list[LiveServer]
    versions: Mapping[str, int]
    put_off: list[str]
    contracted: Mapping[str, int]
    held: bool

    @property
    def others(self) -> list[LiveServer]:
        """The servers of another version than this program's."""
        return [one for one in self.servers if one.version != self.version]

    @property
    def since(self) -> int | None:
        """When this version first served."""
        return self.versions.get(self.version)

    @property
    def before(self) -> str | None:
        """The version that served before this one; None where nothing is known of any."""
        since = self.since
        earlier = {
            at: version
            for version, at in self.versions.items()
            if version != self.version and (since is None or at < since)
        }
        return earlier[max(earlier)] if earlier else None

    @property
    def no_way_back(self) -> list[str]:
        """What was taken away since this version came."""
        since = self.since
        return [file for file, at in self.contracted.items() if since is not None and at >= since]


async def upgrade_state(host: Host | OpenedHost, reader: Reader, version: str) -> UpgradeState:
    facts, schema = host.service(InstanceFacts), host.service(SchemaUpgrade)
    versions = await facts.below(reader, _FIRST)
    return UpgradeState(
        version,
        [*await facts.live_servers(reader)],
        {key.removeprefix(_FIRST): int(at) for key, at in versions.items()},
        [*await schema.put_off(reader)],
        await schema.contracted_at(reader),
        await facts.find(reader, HELD) == version,
    )


class UpgradeWatch:
    """Finishes an upgrade when its time has come, in whichever process looks first."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._version = host.settings.version

    async def run(self) -> None:
        """Looks once a minute until nothing is put off: with this program nothing can come after that."""
        await self.note_version()
        while await self.look():  # noqa: ASYNC110 - of other processes
            await asyncio.sleep(_EVERY_SECONDS)

    async def note_version(self) -> None:
        """Records when this version first served."""
        facts, key = self._host.service(InstanceFacts), _FIRST + self._version
        async with self._host.data.read() as reader:
            known = await facts.find(reader, key)
        if known is None:
            async with self._host.data.write() as writer:
                await facts.set(writer, key, str(self._host.clock.now_ms()))

    async def _put_off_at(self, files: list[str]) -> int:
        """Returns when these files were first seen to wait."""
        facts, now = self._host.service(InstanceFacts), self._host.clock.now_ms()
        async with self._host.data.read() as reader:
            known = json.loads(await facts.find(reader, _PUT_OFF) or "{}")
        if known.get("files") == files:
            return int(known["at"])
        async with self._host.data.write() as writer:
            await facts.set(writer, _PUT_OFF, json.dumps({"files": files, "at": now}))
        return now

    async def look(self) -> bool:
        """Finishes what may be finished, and returns whether something is left."""
        async with self._host.data.read() as reader:
            state = await upgrade_state(self._host, reader, self._version)
        if not state.put_off:
            return False
        ends = await self._put_off_at(state.put_off) + self._host.setting(FINISH_SECONDS) * 1000
        if state.held or state.others or self._host.clock.now_ms() < ends:
            return True
        try:
            files = await self._host.service(SchemaUpgrade).finish()
        except OperatorError as refusal:  # one came up meanwhile
            _log.warning("upgrade.not_finished", extra={"fields": {"reason": str(refusal)}})
            return True
        _log.info("upgrade.finished", extra={"fields": {"files": files}})
        return False
