"""What starts do about installs: the next one goes back on one that failed; a good one tells the trail."""

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path

from builtin_plugins.installing.installations import Installations, held
from builtin_plugins.installing.journal import Act, read_journal
from builtin_plugins.installing.signatures import signatures_of
from guildhall_sdk import Actor, Host
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.plugin import Plugins, PluginStatus
from guildhall_sdk.services.server import InstanceFacts, ServerLife

_ACTOR = "operator at the machine"
_FACT = "installing:"
_WHY = "the server did not start with it, or left it out"
_log = logging.getLogger("guildhall.installing")


def settle(folder: Path, environ: Mapping[str, str]) -> bool:
    """Puts one whole version of each plugin in place before a start; tells whether another one is there now.

    What was killed in the middle is undone. What a start has tried, and none has found good, is taken back.
    """
    with held(folder) as installations:
        for act in [act for act in installations.last_acts() if act.state == "tried"]:
            _go_back(installations, act, environ)
        for act in installations.last_acts():
            if act.state == "installed":
                act.state = "tried"
        installations.journal.save()
        return installations.changed


def _go_back(installations: Installations, act: Act, environ: Mapping[str, str]) -> None:
    fields = {"plugin": act.plugin, "distributions": [[one.name, one.new_version] for one in act.changes]}
    try:
        installations.roll_back(act, signatures_of(environ), whole=True, why=_WHY)
    except OperatorError as reason:
        act.state = "good"  # as good as it gets: what cannot be taken back is not tried again
        _log.error("plugin.not_rolled_back", extra={"fields": {**fields, "reason": str(reason)}})
    else:
        _log.warning("plugin.rolled_back", extra={"fields": {**fields, "reason": _WHY}})


class StartWatch:
    """Says, once the server answers, that the start with what was installed was good; and tells the trail."""

    def __init__(self, host: Host, folder: Path) -> None:
        self._host = host
        self._folder = folder

    async def run(self) -> None:
        await self._host.service(ServerLife).started.wait()
        statuses = {one.id: one for one in self._host.service(Plugins).statuses()}
        await asyncio.to_thread(self._find_good, statuses)
        await self._record()

    def _find_good(self, statuses: Mapping[str, PluginStatus]) -> None:
        with held(self._folder) as installations:
            for act in installations.journal.acts:
                if act.state != "tried":
                    continue
                status = statuses.get(act.plugin)
                if status is None or status.status == "quarantined":
                    reason = "it is not there" if status is None else status.reason
                    fields = {"plugin": act.plugin, "reason": reason}
                    _log.error("plugin.start_failed", extra={"fields": fields})
                else:
                    act.state = "good"
            installations.journal.save()

    async def _record(self) -> None:
        """Writes what was done at the machine into the audit trail, each once."""
        journal = await asyncio.to_thread(read_journal, self._folder)
        if not journal.events:
            return
        facts, key = self._host.service(InstanceFacts), f"{_FACT}{journal.id}"
        async with self._host.data.write(Actor(_ACTOR)) as writer:
            await writer.serialize(key)
            heard = int(await facts.find(writer, key) or 0)
            for event in journal.events:
                if event["number"] > heard:
                    writer.audit(event["action"], ("plugin", event["plugin"]), detail=event["detail"])
            await facts.set(writer, key, str(journal.numbered))
        await asyncio.to_thread(self._forget, journal.numbered)

    def _forget(self, heard: int) -> None:
        with held(self._folder) as installations:
            journal = installations.journal
            journal.events = [event for event in journal.events if event["number"] > heard]
            journal.save()
