"""The service `PassageIndex`: questions as vectors, and the passages that are near them."""

import json
from collections import OrderedDict
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from builtin_plugins.embeddings.models import EmbeddingModels, embed_inside, sql
from builtin_plugins.embeddings.reading import PassageReader
from builtin_plugins.embeddings.static_model import MODEL, package_folder
from builtin_plugins.embeddings.stores import Stores, TableStore, ids_json
from builtin_plugins.embeddings.vectors import Space, similarities
from guildhall_sdk import Host, Principal, Problem, Reader, UserError
from guildhall_sdk.plugin import Features
from guildhall_sdk.services.models import Models
from guildhall_sdk.services.search import DocumentRef, FindNear, NearPassage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Centred = NDArray[np.float32]

MAX_QUESTION = 2_000
# What a caller who reads little is compared with: no more passages than this.
_MAX_AMONG = 50_000
_REMEMBERED = 500
# So few are looked up within some microseconds.
_HANDFUL = 24
_ids_of_few = replace(sql.ids_of_documents, quick=True, long=False)
_details_of_few = replace(sql.details, quick=True, long=False)
# Of a batch: where so many are gone, the codes are read anew.
_GONE = 128


class StoredPassages:
    """Implements the SDK's `PassageIndex`."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._models = host.service(EmbeddingModels)
        reader = host.service(PassageReader)
        self.changed, self.removed = reader.queue, reader.drop
        # Whoever turns the page asks the same again.
        self._asked: OrderedDict[tuple[int, str], Centred] = OrderedDict()

    async def question(self, principal: Principal, text: str) -> FindNear | None:
        text = text.strip()[:MAX_QUESTION]
        if not self._models.on:
            return None
        async with self._host.data.read() as reader:
            off = self._host.service(Features).of(principal).switched_off("embeddings") is not None
            chosen = None if off or not text else await self._models.chosen(reader, principal)
            if chosen is None:
                return None
            rows = await reader.all(sql.spaces_of_org, org_id=principal.org_id)
        found: list[tuple[Space, Centred]] = []
        for space in map(Space.of, rows):
            try:
                found.append((space, await self._vector(principal, space, text)))
            except Problem:
                # What a model made that is on its way out may stay unfound.
                if space.model == chosen.key:
                    raise
        return StoredQuestion(self._host.service(Stores), principal.org_id, found).near if found else None

    async def texts(
        self, reader: Reader, org_id: str, ids: Sequence[int]
    ) -> Mapping[int, tuple[str, Mapping[str, Any]]]:
        rows = await reader.all(sql.texts, org_id=org_id, ids=ids_json(ids))
        places = ("heading", "page", "sheet", "line")
        return {
            row["id"]: (row["text"], {name: row[name] for name in places if row[name] is not None})
            for row in rows
        }

    async def _vector(self, principal: Principal, space: Space, text: str) -> "Centred":
        digest = blake2b(f"{principal.org_id}:{text}".encode("utf-8", "replace"), digest_size=16).hexdigest()
        key = (space.id, digest)
        known = self._asked.get(key)
        if known is None:
            vectors = await self._embed(principal, space, text)
            if len(vectors[0]) != space.dimensions:
                raise UserError(
                    "The model for embeddings gives vectors of another length.", code="bad_vectors"
                )
            known = self._asked[key] = space.centred(vectors)[0]
            while len(self._asked) > _REMEMBERED:
                self._asked.popitem(last=False)
        return known

    async def _embed(self, principal: Principal, space: Space, text: str) -> Sequence[Sequence[float]]:
        if space.executor is None:
            if space.model != MODEL or package_folder() is None:
                raise UserError("The embedded model is not installed any more.", code="no_embeddings")
            return await embed_inside(principal.org_id, [text])
        async with self._host.data.read() as reader:
            choice = await self._host.service(Models).choose(reader, principal, executor=space.executor)
        if f"{choice.executor_id}:{choice.model}" != space.model:
            raise UserError("The executor is another one now.", code="unknown_executor")
        return await self._models.embed_for(principal, space.executor, [text])


class StoredQuestion:
    """One question, in each space that its company has passages in."""

    def __init__(self, stores: Stores, org_id: str, vectors: "Sequence[tuple[Space, Centred]]") -> None:
        self._stores = stores
        self._org_id = org_id
        self._vectors = vectors

    async def near(
        self, reader: Reader, among: Sequence[DocumentRef] | None
    ) -> AsyncGenerator[Sequence[NearPassage], None]:
        async with AsyncExitStack() as stack:
            walks = [
                await stack.enter_async_context(aclosing(self._walk(reader, space, vector, among)))
                for space, vector in self._vectors
            ]
            while walks:
                batch: list[NearPassage] = []
                for walk in list(walks):
                    found = await anext(walk, None)
                    if found is None:
                        walks.remove(walk)
                    else:
                        batch += found
                if walks:
                    yield sorted(batch, key=lambda one: (-one.score, one.id))

    async def _walk(
        self, reader: Reader, space: Space, vector: "Centred", among: Sequence[DocumentRef] | None
    ) -> AsyncGenerator[Sequence[NearPassage], None]:
        ids: Sequence[int] | None = None
        if among is not None:
            rows = await reader.all(
                _ids_of_few if len(among) <= _HANDFUL else sql.ids_of_documents,
                org_id=self._org_id,
                space_id=space.id,
                documents=json.dumps([*map(list, among)]),
                limit=_MAX_AMONG,
            )
            ids = [row["id"] for row in rows]
        store = self._stores.store
        looked_at = gone = 0
        nearest = store.nearest(reader, self._org_id, space.id, [*map(float, vector)], ids)
        async with aclosing(nearest) as batches:
            async for some in batches:
                rows = await reader.all(
                    _details_of_few if len(some) <= _HANDFUL else sql.details,
                    org_id=self._org_id,
                    space_id=space.id,
                    ids=ids_json(some),
                )
                looked_at, gone = looked_at + len(some), gone + len(some) - len(rows)
                if gone >= _GONE and 2 * gone > looked_at and isinstance(store, TableStore):
                    store.forget(self._org_id, space.id)
                yield _scored(space, vector, rows)


def _scored(space: Space, vector: "Centred", rows: Sequence[Any]) -> Sequence[NearPassage]:
    if not rows:
        return ()
    scores = similarities(vector, [bytes(row["vector"]) for row in rows], space.dimensions)
    return [
        NearPassage(
            id=row["id"],
            document=(row["type"], row["ref_id"]),
            score=float(score),
            fits=bool(score >= space.floor),
        )
        for row, score in zip(rows, scores, strict=True)
    ]
