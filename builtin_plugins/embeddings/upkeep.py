"""Upkeep: queues documents from before, and makes anew what another model made while that still answers."""

import asyncio
import logging
from collections.abc import Sequence

from builtin_plugins.embeddings.models import AT_ONCE, EmbeddingModels, sql
from builtin_plugins.embeddings.reading import PassageReader
from builtin_plugins.embeddings.stores import Stores, ids_json
from builtin_plugins.embeddings.storing import insert_passages, working_for
from builtin_plugins.embeddings.vectors import Space
from guildhall_sdk import Host, Problem, Row, SearchSource, Writer, new_id
from guildhall_sdk.plugin import Plugins

_BATCH = 20
# In the table of how far each type has come; no type has such a name.
_OFF, _ANEW = "-off", "-anew"
_TEAMS = 200
_EVERY_SECONDS = 60.0
_PAUSE_SECONDS = 0.2
_log = logging.getLogger("guildhall.embeddings")


class Upkeep:
    """What nobody has to ask for."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._models = host.service(EmbeddingModels)
        self._stores = host.service(Stores)

    async def stop(self) -> None:
        """Notes that nobody follows what changes from now on: the next time all is read again."""
        async with self._host.data.read() as reader:
            noted = await reader.one(sql.progress, type=_OFF) is not None
            if noted or await reader.one(sql.any_progress) is None:
                return
        async with self._host.data.write() as writer:
            await writer.run(sql.set_progress, type=_OFF, after_id="", done=1)

    async def begin(self) -> None:
        """Has everything queued anew where texts have changed unseen."""
        async with self._host.data.read() as reader:
            if await reader.one(sql.progress, type=_OFF) is None:
                return
        async with self._host.data.write() as writer:
            await writer.run(sql.begin_anew)
            await writer.run(sql.set_progress, type=_ANEW, after_id="", done=1)

    async def run(self) -> None:
        """Queues what was there before, then looks every minute for passages of other models."""
        for source in self._host.service(Plugins).declared(SearchSource):
            if source.every is not None:
                await self._queue_all(source)
        while True:
            await asyncio.sleep(_EVERY_SECONDS)
            await self.renew()

    async def catch_up(self) -> None:
        """Queues all that was there before."""
        for source in self._host.service(Plugins).declared(SearchSource):
            if source.every is not None:
                await self._queue_all(source, pause=0)

    async def _queue_all(self, source: SearchSource, pause: float = _PAUSE_SECONDS) -> None:
        """Queues all of a source, a batch at a time; stopped half-way, the next start goes on."""
        try:
            done = False
            while not done:
                done = await self._queue_some(source)
                await asyncio.sleep(pause)
        except Problem:
            raise  # the database is busy: this begins again
        except Exception as error:  # a statement of another plugin
            _log.warning(
                "embeddings.source_failed", exc_info=error, extra={"fields": {"source": source.type}}
            )

    async def _queue_some(self, source: SearchSource) -> bool:
        assert source.every is not None
        async with self._host.data.read() as reader:
            progress = await reader.one(sql.progress, type=source.type)
        if progress is not None and progress["done"]:
            return True
        async with self._host.data.write() as writer:
            await writer.serialize(f"embeddings:{source.type}")
            progress = await writer.one(sql.progress, type=source.type)
            after = "" if progress is None else progress["after_id"]
            rows = await writer.all(source.every, after=after, limit=_BATCH)
            now = self._host.clock.now_ms()
            anew = await writer.one(sql.progress, type=_ANEW) is not None
            for row in rows:
                await writer.run(
                    sql.queue if anew else sql.queue_old,
                    type=source.type,
                    ref_id=row["ref_id"],
                    org_id=row["org_id"],
                    team_id=row["team_id"],
                    token=new_id("read", now),
                    now=now,
                )
            after = rows[-1]["ref_id"] if rows else after
            await writer.run(sql.set_progress, type=source.type, after_id=after, done=int(not rows))
        return not rows

    async def renew(self) -> int:
        """Makes anew what was made by another model than the team has now; returns how much."""
        renewed, after = 0, ""
        while True:
            async with self._host.data.read() as reader:
                rows = await reader.all(sql.teams_using, after=after, limit=_TEAMS)
            for row in rows:
                try:
                    renewed += await self._renew_team(row)
                except Exception as error:
                    fields = {"team": row["team_id"], "space": row["space_id"]}
                    _log.warning("embeddings.not_renewed", exc_info=error, extra={"fields": fields})
            if len(rows) < _TEAMS:
                return renewed
            after = rows[-1]["team_id"]

    async def _renew_team(self, used: Row) -> int:
        principal = working_for(used["org_id"], used["team_id"])
        async with self._host.data.read() as reader:
            chosen = await self._models.chosen(reader, principal)
        if chosen is None or chosen.key == used["model"]:
            return 0
        space, renewed = await self._models.space(principal, chosen), 0
        while True:
            async with self._host.data.read() as reader:
                rows = await reader.all(
                    sql.outdated, team_id=used["team_id"], space_id=used["space_id"], limit=AT_ONCE
                )
            if not rows:
                break

            async def stored(
                writer: Writer, vectors: Sequence[Sequence[float]], rows: Sequence[Row] = rows
            ) -> None:
                await self._replace(writer, used, space, rows, vectors)

            inputs = ["\n".join(filter(None, (row["title"], row["heading"], row["text"]))) for row in rows]
            await self._models.embed_for(principal, chosen.executor, inputs, stored)
            renewed += len(rows)
        async with self._host.data.write(within=used["org_id"]) as writer:
            await writer.run(sql.leave_space, team_id=used["team_id"], space_id=used["space_id"])
        return renewed

    async def _replace(
        self,
        writer: Writer,
        used: Row,
        space: Space,
        rows: Sequence[Row],
        vectors: Sequence[Sequence[float]],
    ) -> None:
        """Puts new passages in the place of old ones, as far as these are still there."""
        org_id = used["org_id"]
        await writer.serialize(f"embeddings:{org_id}")
        ids = ids_json([row["id"] for row in rows])
        there = await writer.all(sql.still_outdated, ids=ids, org_id=org_id, space_id=used["space_id"])
        still = {row["id"] for row in there}
        kept = [(row, vector) for row, vector in zip(rows, vectors, strict=True) if row["id"] in still]
        if not kept:
            return
        await self._stores.store.remove(writer, org_id, sorted(still))
        await writer.run(sql.drop_by_ids, org_id=org_id, ids=ids_json(sorted(still)))
        names = ("type", "ref_id", "ordinal", "title", "text", "heading", "page", "sheet", "line")
        new = [
            {
                "org_id": org_id,
                "team_id": used["team_id"],
                "build": None,
                **{name: row[name] for name in names},
            }
            for row, _ in kept
        ]
        await insert_passages(writer, self._stores, space, new, [vector for _, vector in kept])


async def read_everything(host: Host) -> None:
    """Queues what was there before and reads all that is due; for tests, commands and benches."""
    await host.service(Upkeep).catch_up()
    await host.service(PassageReader).drain()
