"""Reading: what has changed is cut into passages, embedded and stored, beside everybody's work.

What is to be read stands in a queue, written by the transactions that change texts. Each process takes some
of the team that waits longest, for a while: what a killed one had taken is due again after it. Passages of
a long text are stored as they come, and shown when all are there; who goes on with a reading that was broken
off begins behind those. A model outside is paid for in the transaction that stores what it made.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from builtin_plugins.embeddings.models import AT_ONCE, Chosen, EmbeddingModels, sql
from builtin_plugins.embeddings.stores import Stores
from builtin_plugins.embeddings.storing import cut_document, insert_passages, says_nothing, working_for
from builtin_plugins.embeddings.vectors import Space
from guildhall_sdk import Host, Principal, Problem, Row, SearchSource, Writer, new_id
from guildhall_sdk.errors import PaymentRequired, TooManyRequests
from guildhall_sdk.plugin import Features, Plugins
from guildhall_sdk.services.models import ModelBusy, ModelUnavailable
from guildhall_sdk.services.search import Findable
from libs.fair_slots import TEXTS, finished
from libs.passages import Passage

DOCUMENTS_AT_ONCE = 16
INSIDE_AT_ONCE = 64
COMPANIES_AT_ONCE = 4
#: A process that is killed leaves what it had for so long at most.
CLAIMED_MS = 45_000
_HOLD_SECONDS = 10.0
_POLL_SECONDS = 5.0
_SOON_SECONDS = 0.1
_REST_MS = 15_000
_FIRST_WAIT_MS, _LONGEST_WAIT_MS = 1_000, 3_600_000
_TEAMS = 1_000
# A text of so many characters is cut within a millisecond or two.
_SHORT = 1_000
_log = logging.getLogger("guildhall.embeddings")


class Claimed(NamedTuple):
    """A document that this process reads now."""

    type: str
    ref_id: str
    team_id: str
    token: str
    attempts: int


class Cut(NamedTuple):
    """A document in passages; none of one that is gone, or says nothing."""

    document: Claimed
    title: str = ""
    passages: Sequence[Passage] = ()


class Piece(NamedTuple):
    """A passage to be embedded; the last of a document has it shown."""

    document: Claimed
    title: str
    passage: Passage
    ordinal: int
    last: bool

    @property
    def input(self) -> str:
        """What the model reads: the title and heading too, without which many a passage says little."""
        return "\n".join(filter(None, (self.title, self.passage.heading, self.passage.text)))


class PassageReader:
    """The queue, and the work on it."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._models = host.service(EmbeddingModels)
        self._stores = host.service(Stores)
        self._changed = asyncio.Event()
        self._at_work: dict[str, asyncio.Task[None]] = {}
        # Teams whose model is busy, or that have none: until when.
        self._resting: dict[str, int] = {}

    async def queue(self, writer: Writer, found: Findable) -> None:
        is_read = self._models.on and found.type in self._sources()
        if not is_read or (found.new and says_nothing(found.type, found.text)):
            return
        await writer.run(
            sql.queue,
            type=found.type,
            ref_id=found.ref_id,
            org_id=found.org_id,
            team_id=found.team_id,
            token=self._token(),
            now=self._host.clock.now_ms(),
        )
        writer.after_commit(self._changed.set)

    async def drop(self, writer: Writer, type: str, ref_id: str) -> None:
        await writer.run(sql.unqueue, type=type, ref_id=ref_id)
        rows = await writer.all(sql.drop_passages, type=type, ref_id=ref_id)
        if rows:
            await self._stores.store.remove(writer, rows[0]["org_id"], [row["id"] for row in rows])

    async def run(self) -> None:
        """Reads what is due, as long as the server runs."""
        try:
            while True:
                self._changed.clear()
                if not await self._begin_some():
                    await self._wait()
        finally:
            for task in self._at_work.values():
                task.cancel()

    async def drain(self) -> None:
        """Returns when nothing is due that can be read now."""
        while await self._begin_some() or self._at_work:
            await asyncio.gather(*self._at_work.values())

    async def _wait(self) -> None:
        """Waits for a change, for work to end, or for what other processes may have queued."""
        changed = asyncio.ensure_future(self._changed.wait())
        try:
            await asyncio.wait(
                {changed, *self._at_work.values()},
                timeout=_POLL_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            changed.cancel()
        await asyncio.sleep(_SOON_SECONDS)

    async def _begin_some(self) -> bool:
        """Begins the work on companies that wait; returns whether there was one."""
        if len(self._at_work) >= COMPANIES_AT_ONCE:
            return False
        now = self._host.clock.now_ms()
        async with self._host.data.read() as reader:
            rows = await reader.all(sql.teams_waiting, now=now, limit=_TEAMS)
        self._resting = {team_id: until for team_id, until in self._resting.items() if until > now}
        begun = False
        for row in rows:
            org_id, team_id = row["org_id"], row["team_id"]
            if team_id in self._resting or org_id in self._at_work:
                continue
            if len(self._at_work) >= COMPANIES_AT_ONCE:
                break
            task = asyncio.create_task(self._read_some(org_id, team_id), name=f"embedding {team_id}")
            self._at_work[org_id] = task
            task.add_done_callback(partial(self._end_work, org_id))
            begun = True
        return begun

    def _end_work(self, org_id: str, task: "asyncio.Task[None]") -> None:
        self._at_work.pop(org_id, None)
        self._changed.set()

    async def _read_some(self, org_id: str, team_id: str) -> None:
        """Reads some of a team's documents; what fails is tried again later."""
        now = self._host.clock.now_ms()
        try:
            async with self._host.data.write(within=org_id) as writer:
                rows = await writer.all(
                    sql.claim,
                    org_id=org_id,
                    team_id=team_id,
                    now=now,
                    until=now + CLAIMED_MS,
                    limit=DOCUMENTS_AT_ONCE,
                )
        except PaymentRequired:
            self._resting[team_id] = now + _REST_MS
            return
        except Problem:  # the database is busy
            self._resting[team_id] = now + _FIRST_WAIT_MS
            return
        groups: dict[str, list[Claimed]] = {}
        for row in rows:
            one = Claimed(row["type"], row["ref_id"], row["team_id"], row["token"], row["attempts"])
            # What failed before is read alone: it may be at fault.
            groups.setdefault(one.ref_id if one.attempts > 1 else "", []).append(one)
        holding = asyncio.create_task(self._hold([one for some in groups.values() for one in some]))
        try:
            for documents in groups.values():
                try:
                    await self._read(org_id, documents)
                except Exception as error:
                    await self._put_off(org_id, documents, error)
        finally:
            holding.cancel()

    async def _hold(self, documents: Sequence[Claimed]) -> None:
        """Keeps others from what this process reads, as long as it does."""
        while True:
            await asyncio.sleep(_HOLD_SECONDS)
            with suppress(Problem):
                async with self._host.data.write(durable=False) as writer:
                    now = self._host.clock.now_ms()
                    for one in documents:
                        key = {"type": one.type, "ref_id": one.ref_id, "token": one.token}
                        await writer.run(sql.hold, **key, now=now, until=now + CLAIMED_MS)

    async def _read(self, org_id: str, documents: Sequence[Claimed]) -> None:
        team_id = documents[0].team_id
        principal = working_for(org_id, team_id)
        async with self._host.data.read() as reader:
            switches = await self._host.service(Features).of_team(reader, team_id)
            off = switches.switched_off("embeddings") is not None
            chosen = None if off else await self._models.chosen(reader, principal)
        if chosen is None:
            raise _NoModel
        space = await self._models.space(principal, chosen)
        cut = [await self._cut(org_id, document) for document in documents]
        pieces: list[Piece] = []
        async with self._host.data.write(within=org_id) as writer:
            for one in cut:
                pieces += await self._pieces(writer, org_id, one, space)
        at_once = INSIDE_AT_ONCE if chosen.executor is None else AT_ONCE
        for start in range(0, len(pieces), at_once):
            await self._embed(principal, chosen, space, pieces[start : start + at_once])

    async def _embed(
        self, principal: Principal, chosen: Chosen, space: Space, pieces: Sequence[Piece]
    ) -> None:
        async def stored(writer: Writer, vectors: Sequence[Sequence[float]]) -> None:
            await self._store(writer, principal, space, pieces, vectors)

        await self._models.embed_for(principal, chosen.executor, [piece.input for piece in pieces], stored)

    async def _store(
        self,
        writer: Writer,
        principal: Principal,
        space: Space,
        pieces: Sequence[Piece],
        vectors: Sequence[Sequence[float]],
    ) -> None:
        org_id = principal.org_id
        await writer.serialize(f"embeddings:{org_id}")
        await insert_passages(
            writer,
            self._stores,
            space,
            [
                {
                    "org_id": org_id,
                    "team_id": piece.document.team_id,
                    "type": piece.document.type,
                    "ref_id": piece.document.ref_id,
                    "ordinal": piece.ordinal,
                    "build": piece.document.token,
                    "title": piece.title,
                    **piece.passage._asdict(),
                }
                for piece in pieces
            ],
            vectors,
        )
        for piece in pieces:
            if piece.last:
                await self._show(writer, org_id, piece.document)

    async def _show(self, writer: Writer, org_id: str, document: Claimed) -> None:
        """Has the new passages found in place of those before, unless the text has changed meanwhile."""
        key = {"type": document.type, "ref_id": document.ref_id, "token": document.token}
        if await writer.one(sql.finish_queued, **key) is None:
            return
        gone = [row["id"] for row in await writer.all(sql.ids_before, **key)]
        if gone:
            await self._stores.store.remove(writer, org_id, gone)
            await writer.run(sql.drop_before, **key)
        await writer.run(sql.show_build, **key)

    async def _cut(self, org_id: str, document: Claimed) -> Cut:
        row = await self._text(document)
        if row is None:
            return Cut(document)
        steps = cut_document(document.type, row["title"], row["text"])
        short = len(row["text"]) <= _SHORT
        return Cut(document, row["title"], finished(steps) if short else await TEXTS.run_steps(org_id, steps))

    async def _pieces(self, writer: Writer, org_id: str, cut: Cut, space: Space) -> list[Piece]:
        """Returns what of a document is to be embedded; one that says nothing is done at once."""
        document, found = cut.document, cut.passages
        if not found:
            await self._show(writer, org_id, document)
            return []
        key = {"type": document.type, "ref_id": document.ref_id, "token": document.token}
        others = await writer.all(sql.ids_of_other_builds, **key, space_id=space.id)
        if others:
            await self._stores.store.remove(writer, org_id, [one["id"] for one in others])
            await writer.run(sql.drop_other_builds, **key, space_id=space.id)
        built = int(await writer.value(sql.built, **key, space_id=space.id))
        if built >= len(found):
            await self._show(writer, org_id, document)
        last = len(found) - 1
        return [
            Piece(document, cut.title, passage, ordinal, last=ordinal == last)
            for ordinal, passage in enumerate(found)
            if ordinal >= built
        ]

    async def _text(self, document: Claimed) -> Row | None:
        """Returns title and text of a document as its source gives them; None where it is gone."""
        every = self._sources()[document.type].every
        ref_id = document.ref_id
        assert every is not None
        # Right before it: hardly any other id lies between.
        after = ref_id[:-1] + chr(ord(ref_id[-1]) - 1)
        async with self._host.data.write(durable=False) as writer:  # the statement locks what it reads
            for limit in (1, 100):
                rows = await writer.all(every, after=after, limit=limit)
                found = next((row for row in rows if row["ref_id"] == ref_id), None)
                if found is not None or not rows:
                    return found
        return None

    async def _put_off(self, org_id: str, documents: Sequence[Claimed], error: Exception) -> None:
        now, returned, team_id = self._host.clock.now_ms(), 0, documents[0].team_id
        wait = min(_LONGEST_WAIT_MS, _FIRST_WAIT_MS << min(documents[0].attempts, 20))
        if isinstance(error, _NoModel | PaymentRequired):
            self._resting[team_id], returned, wait = now + _REST_MS, 1, 0
        elif isinstance(error, ModelBusy | TooManyRequests):
            wait, returned = 1000 * int(error.headers.get("Retry-After", 60)), 1
            self._resting[team_id] = now + wait
        elif not isinstance(error, Problem) or isinstance(error, ModelUnavailable):
            fields = {"org": org_id, "documents": len(documents), "attempt": documents[0].attempts}
            _log.warning("embeddings.failed", exc_info=error, extra={"fields": fields})
        with suppress(Problem):  # they are due again when the claim is over
            async with self._host.data.write() as writer:
                for one in documents:
                    key = {"type": one.type, "ref_id": one.ref_id, "token": one.token}
                    await writer.run(sql.put_off, **key, until=now + wait, returned=returned)

    def _sources(self) -> Mapping[str, SearchSource]:
        declared = self._host.service(Plugins).declared(SearchSource)
        return {source.type: source for source in declared if source.every is not None}

    def _token(self) -> str:
        return new_id("read", self._host.clock.now_ms())


class _NoModel(Exception):
    """There is no model for the team now."""
