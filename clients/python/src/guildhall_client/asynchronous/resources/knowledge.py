"""The rows of knowledge."""

from collections.abc import Sequence
from typing import Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.knowledge import (
    KnowledgeEntity,
    KnowledgeEntityGraph,
    KnowledgeEntityPage,
    KnowledgeEntitySimilar,
    KnowledgeExtractReply,
    KnowledgeGraph,
)


class AsyncKnowledge:
    """Calls of knowledge."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    def entities(
        self,
        *,
        page_size: int | None = None,
        q: str | None = None,
        type: Literal["person", "organization", "place", "product", "event", "date", "other"] | None = None,
        types: str | None = None,
        order: Literal["newest", "connected"] | None = None,
        object: str | None = None,
        scope: Literal["team", "org"] | None = None,
    ) -> AsyncPages[KnowledgeEntity, KnowledgeEntityPage]:
        """Who and what the documents speak of that the caller can read, newest or most connected
        first.

        `q`: Part of a name or alias
        `types`: In the order connected: some of the types, with commas between
        `order`: connected: what documents relate to most others first; without q and object alone
        `object`: Only what this document speaks of
        `scope`: org: what is visible to any team of the company
        Needs files:read.
        """
        return AsyncPages(
            self._api,
            "/api/kg/entities",
            query={
                "limit": page_size,
                "q": q,
                "type": type,
                "types": types,
                "order": order,
                "object": object,
                "scope": scope,
            },
        )

    async def entity(self, id: str, *, scope: Literal["team", "org"] | None = None) -> KnowledgeEntity:
        """One entity with its relations and mentions.

        `scope`: org: what is visible to any team of the company
        Needs files:read.
        """
        reply: KnowledgeEntity = await self._api.call(
            "GET", f"/api/kg/entities/{segment(id)}", query={"scope": scope}
        )
        return reply

    async def entity_graph(
        self, id: str, *, depth: int | None = None, scope: Literal["team", "org"] | None = None
    ) -> KnowledgeEntityGraph:
        """The neighbourhood of an entity, to be drawn: at most 200 nodes.

        `depth`: How many steps away from the entity
        `scope`: org: what is visible to any team of the company
        Needs files:read.
        """
        reply: KnowledgeEntityGraph = await self._api.call(
            "GET", f"/api/kg/entities/{segment(id)}/graph", query={"depth": depth, "scope": scope}
        )
        return reply

    async def entity_similar(self, id: str) -> KnowledgeEntitySimilar:
        """Likely twins of an entity with their passages, best first.

        Needs files:read.
        """
        reply: KnowledgeEntitySimilar = await self._api.call("GET", f"/api/kg/entities/{segment(id)}/similar")
        return reply

    async def extract(self, *, include_derived: bool | Omitted = OMITTED) -> KnowledgeExtractReply:
        """Run index-knowledge over the documents that were not extracted yet, those just uploaded
        included.

        `include_derived`: Also what was made from other documents, such as translations
        Needs workflows:run.
        """
        reply: KnowledgeExtractReply = await self._api.call(
            "POST", "/api/kg/extract", fields={"include_derived": include_derived}
        )
        return reply

    async def graph(
        self,
        *,
        types: str | None = None,
        limit: int | None = None,
        scope: Literal["team", "org"] | None = None,
    ) -> KnowledgeGraph:
        """The most connected entities, to be drawn, with what relates them to one another.

        `types`: Some of the types, with commas between; all without it
        `limit`: How many entities
        `scope`: org: what is visible to any team of the company
        Needs files:read.
        """
        reply: KnowledgeGraph = await self._api.call(
            "GET", "/api/kg/graph", query={"types": types, "limit": limit, "scope": scope}
        )
        return reply

    async def merge_entity(self, id: str, *, from_: Sequence[str]) -> KnowledgeEntity:
        """Make other entities part of this one.

        Needs files:write.
        """
        reply: KnowledgeEntity = await self._api.call(
            "POST", f"/api/kg/entities/{segment(id)}/merge", fields={"from": from_}
        )
        return reply

    async def unmerge_entity(self, id: str, *, from_: Sequence[str] | Omitted = OMITTED) -> KnowledgeEntity:
        """Undo the last merge into this entity, or that of the entities named, within 30 days.

        Needs files:write.
        """
        reply: KnowledgeEntity = await self._api.call(
            "POST", f"/api/kg/entities/{segment(id)}/unmerge", fields={"from": from_}
        )
        return reply

    async def update_entity(
        self,
        id: str,
        *,
        aliases: Sequence[str] | Omitted = OMITTED,
        name: str | Omitted = OMITTED,
        type: Literal["person", "organization", "place", "product", "event", "date", "other"]
        | Omitted = OMITTED,
    ) -> KnowledgeEntity:
        """Change the name, the type or the aliases of an entity; what is left out stays as it is.

        Needs files:write.
        """
        reply: KnowledgeEntity = await self._api.call(
            "PATCH",
            f"/api/kg/entities/{segment(id)}",
            fields={"aliases": aliases, "name": name, "type": type},
        )
        return reply
