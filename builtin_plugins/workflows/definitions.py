"""The workflows of teams: every version that was published, those that plugins ship, and who may use them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

from builtin_plugins.workflows.spec.model import DEFAULT_MAX_STEPS, Spec, read_spec
from guildhall_sdk import (
    Conflict,
    Feature,
    Host,
    Permission,
    Principal,
    Reader,
    Row,
    Workflow,
    Writer,
    load_queries,
    new_id,
    rfc3339,
)
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.plugin import Features, Plugins, Switches, TeamContent, TeamMove

READ, RUN, WRITE = "workflows:read", "workflows:run", "workflows:write"

PERMISSIONS = (
    Permission(name=READ, description="See workflows and runs", roles=["viewer"]),
    Permission(name=RUN, description="Run workflows", roles=["member"]),
    Permission(name=WRITE, description="Publish workflows and triggers", roles=["admin"]),
)

WORKFLOWS = "workflows"
FEATURES = (Feature(WORKFLOWS, "Publish and run workflows, triggers and knowledge extraction"),)

STORAGE = "storage.bytes"
definition_sql = load_queries(Path(__file__).with_name("definitions.sql"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One version of a workflow without its spec; `inputs` is JSON, `source` the plugin that ships it."""

    id: str
    slug: str
    version: int
    name: str
    source: str | None
    max_steps: int
    inputs: str
    published_by: str | None
    created_at: int
    disabled: int = 0

    @property
    def enabled(self) -> bool:
        """Whether runs of it can be started."""
        return not self.disabled

    @classmethod
    def of(cls, row: Row) -> Self:
        return cls(**row)

    def public(self) -> dict[str, Any]:
        """Returns the workflow as lists show it."""
        return {
            "id": self.id,
            "slug": self.slug,
            "version": self.version,
            "name": self.name,
            "source": self.source,
            "enabled": self.enabled,
            "max_steps": self.max_steps,
            "inputs": json.loads(self.inputs),
            "published_by": self.published_by,
            "created_at": rfc3339(self.created_at),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition(Summary):
    """One version of a workflow; `raw` is its spec as JSON."""

    org_id: str
    team_id: str
    raw: str

    @property
    def spec(self) -> Spec:
        """The spec as the engine walks it."""
        return _read(self.raw)

    @property
    def is_new(self) -> bool:
        """Whether a plugin ships it and the team does not have it yet."""
        return not self.id

    def public_with_spec(self) -> dict[str, Any]:
        """Returns the workflow as it is shown alone."""
        return {**self.public(), "spec": json.loads(self.raw)}


@lru_cache(maxsize=256)
def _read(raw: str) -> Spec:
    return read_spec(json.loads(raw))


class Shipped(NamedTuple):
    """A workflow that the plugin `source` ships."""

    source: str
    version: int
    raw: Mapping[str, Any]

    def version_after(self, current: Row | None) -> int | None:
        """Returns the version that the team should have it as; None where it needs no new one.

        What the team published under the same slug stays. A plugin that took the slug over from another one
        follows on its versions.
        """
        if current is None:
            return self.version
        if current["source"] == self.source:
            return self.version if self.version > current["version"] else None
        return None if current["source"] is None else max(self.version, current["version"] + 1)


class Definitions:
    """The workflows of all teams."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def at_version(self, reader: Reader, team_id: str, slug: str, version: int) -> Definition | None:
        """Returns a version of a workflow that the team has, or had when a run began."""
        row = await reader.one(definition_sql.at_version, team_id=team_id, slug=slug, version=version)
        return None if row is None else Definition.of(row)

    async def current(
        self, writer: Writer, org_id: str, team_id: str, slug: str, switches: Switches | None = None
    ) -> Definition | None:
        """Returns the version that runs now; a workflow that a plugin ships is the team's from here on.

        `switches` are the team's where the caller knows them.
        """
        found = await self.find(writer, team_id, slug, switches)
        if found is None or not found.is_new:
            return found
        await self._add_missing(writer, org_id, team_id, [slug])
        return await self.find(writer, team_id, slug)

    async def find(
        self, reader: Reader, team_id: str, slug: str, switches: Switches | None = None
    ) -> Definition | None:
        """Returns what `current` would, and writes nothing.

        One that a plugin ships and the team has not looked at yet has no id and no company then.
        """
        row = await reader.one(definition_sql.current, team_id=team_id, slug=slug)
        shipped = (await self._shipped(reader, team_id, switches, slug)).get(slug)
        if shipped is not None and (version := shipped.version_after(row)) is not None:
            columns = _columns(shipped.raw, version)
            return Definition(
                id="",
                org_id="",
                team_id=team_id,
                slug=slug,
                version=version,
                name=columns["name"],
                source=shipped.source,
                max_steps=columns["max_steps"],
                inputs=columns["inputs"],
                published_by=None,
                created_at=0,
                raw=columns["spec"],
            )
        return Definition.of(row) if row is not None and _is_there(row, shipped) else None

    async def publish(self, writer: Writer, caller: Principal, raw: Mapping[str, Any]) -> Definition:
        """Adds a version to a workflow of the caller's team; racing calls get one version each.

        It counts the bytes of the spec last, as the ledger of quotas wants it.
        """
        await writer.serialize(lock_of(caller.team_id, raw["slug"]))
        current = await self.current(writer, caller.org_id, caller.team_id, raw["slug"])
        newest = await writer.value(definition_sql.newest_version, team_id=caller.team_id, slug=raw["slug"])
        version = (newest or 0) + 1
        await self._add(writer, caller.org_id, caller.team_id, raw, version, published_by=caller.user_id)
        made = await self.at_version(writer, caller.team_id, raw["slug"], version)
        assert made is not None
        detail = {"slug": made.slug, "version": version, "replaces": current and current.version}
        writer.audit("workflow.published", ("workflow", made.id), detail=detail)
        await self._host.service(Quotas).adjust(
            writer, caller.org_id, caller.team_id, STORAGE, len(made.raw.encode())
        )
        return made

    async def page(self, reader: Reader, team_id: str, after: str | None, fetched: int) -> Sequence[Summary]:
        """Returns the current versions by slug, those behind `after`; of plugins, those that are on."""
        shipped = await self._shipped(reader, team_id)
        found: list[Summary] = []
        last = after or ""
        while len(found) < fetched:
            rows = await reader.all(definition_sql.page, team_id=team_id, after=last, fetched=fetched)
            found += [Summary.of(row) for row in rows if _is_there(row, shipped.get(row["slug"]))]
            if len(rows) < fetched:
                break
            last = rows[-1]["slug"]
        return found[:fetched]

    async def versions(
        self, reader: Reader, team_id: str, slug: str, before: int, fetched: int
    ) -> Sequence[Summary]:
        """Returns the versions of a workflow that the team has or had, newest first, those before one."""
        rows = await reader.all(
            definition_sql.versions, team_id=team_id, slug=slug, before=before, fetched=fetched
        )
        return [Summary.of(row) for row in rows]

    async def materialize(self, org_id: str, team_id: str) -> None:
        """Gives the team what plugins ship and it does not have. Not inside a scope.

        Where nothing is missing this only reads. It is the server that writes: a team whose company is
        suspended can look at its workflows too.
        """
        async with self._host.data.read() as reader:
            missing = await self._missing(reader, team_id, await self._shipped(reader, team_id))
        if not missing:
            return
        async with self._host.data.write() as writer:
            await self._add_missing(writer, org_id, team_id, [*missing])

    async def _add_missing(self, writer: Writer, org_id: str, team_id: str, slugs: Sequence[str]) -> None:
        """Adds what plugins ship under these slugs and the team does not have.

        Not beside somebody who publishes under one of them: what they publish would not be the newest.
        """
        for slug in sorted(slugs):
            await writer.serialize(lock_of(team_id, slug))
        shipped = await self._shipped(writer, team_id)
        wanted = {slug: shipped[slug] for slug in slugs if slug in shipped}
        for slug, version in (await self._missing(writer, team_id, wanted)).items():
            one = wanted[slug]
            await self._add(writer, org_id, team_id, one.raw, version, source=one.source)

    async def _missing(self, reader: Reader, team_id: str, shipped: Mapping[str, Shipped]) -> dict[str, int]:
        """Returns the slugs that plugins ship with the version that the team should get of each."""
        if not shipped:
            return {}
        rows = await reader.all(
            definition_sql.current_of_slugs, team_id=team_id, slugs=json.dumps([*shipped])
        )
        current = {row["slug"]: row for row in rows}
        due = {slug: one.version_after(current.get(slug)) for slug, one in shipped.items()}
        return {slug: version for slug, version in due.items() if version is not None}

    async def _shipped(
        self, reader: Reader, team_id: str, switches: Switches | None = None, slug: str | None = None
    ) -> dict[str, Shipped]:
        """Returns what plugins that are on for the team ship, by slug; with a `slug` only under that."""
        contributed = self._host.service(Plugins).owned(Workflow)
        if slug is not None:
            contributed = [one for one in contributed if one[1].spec["slug"] == slug]
        if not contributed:
            return {}
        if switches is None:
            switches = await self._host.service(Features).of_team(reader, team_id)
        return {
            workflow.spec["slug"]: Shipped(source, workflow.spec["version"], workflow.spec)
            for source, workflow in contributed
            if switches.switched_off(source, None) is None
        }

    async def _add(
        self,
        writer: Writer,
        org_id: str,
        team_id: str,
        raw: Mapping[str, Any],
        version: int,
        *,
        source: str | None = None,
        published_by: str | None = None,
    ) -> None:
        """Adds a version, unless the team has it already."""
        now = self._host.clock.now_ms()
        await writer.run(
            definition_sql.insert_version,
            team_id=team_id,
            slug=raw["slug"],
            version=version,
            id=new_id("wf", now),
            org_id=org_id,
            source=source,
            published_by=published_by,
            now=now,
            **_columns(raw, version),
        )


def _is_there(row: Row, shipped: Shipped | None) -> bool:
    """Tells whether the team has it: what a plugin shipped goes with the plugin."""
    return row["source"] is None or (shipped is not None and shipped.source == row["source"])


def lock_of(team_id: str, slug: str) -> str:
    return f"workflow:{team_id}:{slug}"


def _columns(raw: Mapping[str, Any], version: int) -> dict[str, Any]:
    """Returns what a row says of a spec."""
    return {
        "name": raw.get("name", raw["slug"]),
        "spec": json.dumps({**raw, "version": version}, ensure_ascii=False),
        "max_steps": raw.get("max_steps", DEFAULT_MAX_STEPS),
        "inputs": json.dumps(raw.get("inputs", {}), ensure_ascii=False),
    }


async def _move_to_team(host: Host, writer: Writer, how: TeamMove) -> None:
    """Moves what a team published; its runs stay with it, as its jobs do."""
    binds = {"org_id": how.source.org_id, "source": how.source.id, "target": how.target.id}
    slug = await writer.value(definition_sql.clashing_slug, **binds)
    if slug is not None:
        raise Conflict(
            f"{how.target.name} has a workflow {slug} of its own; move to another team.",
            code="workflow_taken",
        )
    await writer.run(definition_sql.move_to_team, **binds)


CONTENT = TeamContent(name="workflows", held=definition_sql.held_by_team, move=_move_to_team)
