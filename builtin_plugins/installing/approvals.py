"""What plugins may do: all that somebody agreed to. What a newer version adds waits until it is approved."""

import asyncio
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from builtin_plugins.installing.journal import has_journal, plugins_folder, read_journal
from guildhall_sdk import Actor, Host, Reader, Writer
from guildhall_sdk.plugin import Plugins, PluginStatus
from guildhall_sdk.services.server import InstanceFacts

PLUGIN_ENTRIES = "guildhall.plugins"
#: What lets a plugin do more than before, by what one of it is called.
WIDENING = ("permission", "route", "job kind", "outbound host")
_FACT = "installing:may:"
_CHANNEL = "approved"
_ACTOR = "operator at the machine"
_log = logging.getLogger("guildhall.installing")

Contents = Mapping[str, Sequence[str]]


class Allowed(NamedTuple):
    """What one plugin may do, and the last of its versions that adds nothing to it."""

    version: str
    contents: Contents


class Approved(NamedTuple):
    """What an operator has approved of a plugin now, and what goes on waiting."""

    names: Sequence[str]
    held: Sequence[str]


def widening(contents: Contents) -> dict[str, list[str]]:
    """Returns what of a plugin's contents counts as a right."""
    return {label: [*contents[label]] for label in WIDENING if contents.get(label)}


def joined(*several: Contents) -> dict[str, list[str]]:
    labels = {label for one in several for label in one}
    return {label: sorted({name for one in several for name in one.get(label, ())}) for label in labels}


def without(contents: Contents, known: Contents) -> dict[str, list[str]]:
    """Returns what of the contents is not known."""
    left = {label: sorted({*names} - {*known.get(label, ())}) for label, names in contents.items()}
    return {label: names for label, names in left.items() if names}


def in_words(contents: Contents) -> list[str]:
    return [f"{label} {name}" for label, names in sorted(contents.items()) for name in sorted(names)]


class Approvals:
    """Holds back what newer versions of plugins add, until an operator approves it."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._plugins = host.service(Plugins)
        self._facts = host.service(InstanceFacts)
        self._news = host.news(_CHANNEL)

    async def begin(self, *, hold: bool) -> bool:
        """Finds at a start what widened, and is to `hold` it, or takes every version as agreed to.

        Returns whether anything is held.
        """
        found = self._installed()
        if not found:
            return False
        agreed = await asyncio.to_thread(_agreed, plugins_folder(self._host.settings.data))
        at_work = await asyncio.to_thread(_at_work, found)
        async with self._host.data.read() as reader:
            before = await self._allowed(reader)
        changed = [
            one
            for one in found
            if self._after_start(one, before.get(one.id), agreed, at_work=not hold or one.id in at_work)
            != before.get(one.id)
        ]
        if changed:
            async with self._host.data.write(Actor(_ACTOR)) as writer:
                await writer.serialize(_FACT)
                before = await self._allowed(writer)
                for one in changed:
                    work = not hold or one.id in at_work
                    await self._set(
                        writer, one.id, self._after_start(one, before.get(one.id), agreed, at_work=work)
                    )
        await self.apply()
        waiting = [one for one in self._installed() if one.held]
        for one in waiting:
            fields = {"plugin": one.id, "version": one.version, "held": list(one.held)}
            _log.warning("plugin.held", extra={"fields": fields})
        return bool(waiting)

    def _after_start(
        self, plugin: PluginStatus, before: Allowed | None, agreed: Mapping[str, Contents], *, at_work: bool
    ) -> Allowed:
        """Returns what a plugin may do from now on: at first all that it declares, then what was agreed to.

        `at_work` is for the sources of an author, who changes one version again and again.
        """
        declared = widening(self._plugins.contents(plugin.id))
        if before is None:
            return Allowed(plugin.version, joined(declared))
        allowed = joined(before.contents, agreed.get(plugin.id, {}))
        if at_work or (plugin.source == "directory" and plugin.version == before.version):
            allowed = joined(allowed, declared)
        return Allowed(before.version if without(declared, allowed) else plugin.version, allowed)

    async def follow(self) -> None:
        """Releases what an operator approves by another process."""
        with self._news.listen() as announcements:
            await self.apply()  # what was approved between the start and now
            async for _ in announcements:
                await self.apply()

    async def apply(self) -> None:
        """Holds back what is not allowed by now, and nothing else."""
        async with self._host.data.read() as reader:
            allowed = await self._allowed(reader)
        for one in self._installed():
            if (known := allowed.get(one.id)) is not None:
                held = without(widening(self._plugins.contents(one.id)), known.contents)
                if in_words(held) != list(one.held):
                    self._plugins.hold(one.id, held)

    async def approve(
        self, writer: Writer, plugin: PluginStatus, wanted: Sequence[str] | None = None
    ) -> Approved:
        """Allows a plugin what it is held back, or the `wanted` of it; the commit releases it everywhere."""
        if plugin.status != "loaded" or plugin.source == "builtin":
            return Approved((), ())
        await writer.serialize(_FACT)
        declared = widening(self._plugins.contents(plugin.id))
        known = (await self._allowed(writer)).get(plugin.id, Allowed(plugin.version, declared))
        held = without(declared, known.contents)
        chosen = {
            label: [name for name in names if wanted is None or f"{label} {name}" in wanted]
            for label, names in held.items()
        }
        allowed = joined(known.contents, chosen)
        left = without(declared, allowed)
        if names := in_words(chosen):
            await self._set(writer, plugin.id, Allowed(known.version if left else plugin.version, allowed))
            detail = {"version": plugin.version, "approved": names}
            writer.audit("plugin.approved", ("plugin", plugin.id), detail=detail)
            writer.after_commit(lambda: self._release(plugin.id, left))
        return Approved(names, in_words(left))

    def _release(self, plugin_id: str, held: Contents) -> None:
        self._plugins.hold(plugin_id, held)
        self._news.announce({"plugin": plugin_id})

    def _installed(self) -> list[PluginStatus]:
        """Returns the loaded plugins that were installed beside the server."""
        found = self._plugins.statuses()
        return [one for one in found if one.status == "loaded" and one.source != "builtin"]

    async def _allowed(self, reader: Reader) -> dict[str, Allowed]:
        texts = await self._facts.below(reader, _FACT)
        return {key.removeprefix(_FACT): Allowed(**json.loads(text)) for key, text in texts.items()}

    async def _set(self, writer: Writer, plugin_id: str, allowed: Allowed) -> None:
        await self._facts.set(writer, f"{_FACT}{plugin_id}", json.dumps(allowed._asdict(), sort_keys=True))


def _agreed(folder: Path) -> dict[str, Contents]:
    """Returns by plugin what `guildhall plugin install` was told to put in place at this machine."""
    if not has_journal(folder):
        return {}
    found: dict[str, Contents] = {}
    for act in read_journal(folder).acts:
        found[act.plugin] = joined(found.get(act.plugin, {}), act.agreed)
    return found


def _at_work(plugins: Iterable[PluginStatus]) -> set[str]:
    """Returns the plugins that are their authors' sources, in the version that they say."""
    return {one.id for one in plugins if one.source == "entry-point" and _is_source(one.id)}


def _is_source(plugin_id: str) -> bool:
    """Tells whether no installer brought a plugin: it is linked to its sources, or found beside them."""
    for entry in metadata.entry_points(group=PLUGIN_ENTRIES, name=plugin_id):
        if entry.dist is not None:
            direct: dict[str, Any] = json.loads(entry.dist.read_text("direct_url.json") or "{}")
            linked = bool(direct.get("dir_info", {}).get("editable"))
            return linked or entry.dist.read_text("RECORD") is None
    return True
