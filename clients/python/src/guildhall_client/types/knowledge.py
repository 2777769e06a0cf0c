"""What the API says about knowledge."""

from typing import Any, Literal, NotRequired, TypedDict


class KnowledgeEntityMention(TypedDict):
    key: str
    name: str
    object_id: str
    snippet: str


class KnowledgeEntityMerged(TypedDict):
    id: str
    merged_at: str
    name: str
    type: Literal["person", "organization", "place", "product", "event", "date", "other"]


class KnowledgeEntityRelationEntity(TypedDict):
    id: str
    name: str
    type: Literal["person", "organization", "place", "product", "event", "date", "other"]


class KnowledgeEntityRelation(TypedDict):
    direction: Literal["out", "in"]
    entity: KnowledgeEntityRelationEntity
    predicate: str


class KnowledgeEntity(TypedDict):
    aliases: list[str]
    id: str
    mentions: list[KnowledgeEntityMention]
    merged: NotRequired[list[KnowledgeEntityMerged]]
    name: str
    #: How many others it is related to, of the newest 100 relations each way
    related: NotRequired[int]
    relations: list[KnowledgeEntityRelation]
    type: Literal["person", "organization", "place", "product", "event", "date", "other"]


class KnowledgeEntityGraphEdge(TypedDict):
    predicate: str
    source: str
    target: str


class KnowledgeEntityGraphNode(TypedDict):
    distance: int
    id: str
    name: str
    type: Literal["person", "organization", "place", "product", "event", "date", "other"]


class KnowledgeEntityGraph(TypedDict):
    edges: list[KnowledgeEntityGraphEdge]
    hidden: int
    nodes: list[KnowledgeEntityGraphNode]


class KnowledgeEntitySimilarItem(TypedDict):
    aliases: list[str]
    id: str
    mentions: list[KnowledgeEntityMention]
    name: str
    reasons: list[Literal["same_name", "shared_alias", "close", "contained", "initials"]]
    score: float
    type: Literal["person", "organization", "place", "product", "event", "date", "other"]


class KnowledgeEntitySimilar(TypedDict):
    items: list[KnowledgeEntitySimilarItem]
    next_cursor: str | None
    #: There were more likely twins than are compared at once
    partial: bool


class KnowledgeExtractReply(TypedDict):
    id: str
    state: str
    workflow: Any


class KnowledgeGraphNode(TypedDict):
    id: str
    name: str
    related: int
    type: Literal["person", "organization", "place", "product", "event", "date", "other"]


class KnowledgeGraph(TypedDict):
    edges: list[KnowledgeEntityGraphEdge]
    more: bool
    nodes: list[KnowledgeGraphNode]


class KnowledgeEntityPage(TypedDict):
    items: list[KnowledgeEntity]
    next_cursor: str | None


__all__ = [
    "KnowledgeEntity",
    "KnowledgeEntityGraph",
    "KnowledgeEntityGraphEdge",
    "KnowledgeEntityGraphNode",
    "KnowledgeEntityMention",
    "KnowledgeEntityMerged",
    "KnowledgeEntityPage",
    "KnowledgeEntityRelation",
    "KnowledgeEntityRelationEntity",
    "KnowledgeEntitySimilar",
    "KnowledgeEntitySimilarItem",
    "KnowledgeExtractReply",
    "KnowledgeGraph",
    "KnowledgeGraphNode",
]
