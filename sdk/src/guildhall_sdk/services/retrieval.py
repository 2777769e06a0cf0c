"""Passages: the pieces of what people wrote, found by words and by meaning, within a person's rights."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from guildhall_sdk.context import Host
from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.principal import Principal
from guildhall_sdk.services.search import Findable

FoundBy = Literal["words", "meaning"]
#: `"workspace"`, or a list of `{type: "folder"|"object"|"note"|"entity", id|key}`.
Sources = str | Sequence[Mapping[str, Any]]
#: The type and the id of what a passage stands in, as the search index names it.
DocumentRef = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a document that the person may read now; `text` stands in it word for word.

    `place` is `{heading?, page?, sheet?, line?}`. `key` and `version` are an object's.
    """

    type: str
    id: str
    title: str
    url: str
    text: str
    place: Mapping[str, Any]
    score: float
    found_by: Sequence[FoundBy]
    key: str | None = None
    version: int | None = None


class Retrieval(Protocol):
    """Finds what a question can be answered from. Its plugin may be absent: `find_service`."""

    async def passages(
        self, principal: Principal, question: str, *, sources: Sources = "workspace", limit: int = 8
    ) -> Sequence[Passage]:
        """Returns the passages that fit best, best first; none where nothing fits. Not inside a scope.

        Only what the person may read in the scope of their credential. Raises `InvalidRequest` at `/sources`
        for what is none, or what they may not read.
        """

    async def check(self, principal: Principal, sources: Sources) -> None:
        """Raises `InvalidRequest` at the source that `passages` would refuse. Not inside a scope."""


class Vectors(NamedTuple):
    """The vectors of texts, with the name of the model that made them."""

    model: str
    vectors: Sequence[Sequence[float]]
    #: The tokens that were metered; 0 for a model inside the server.
    tokens: int = 0


class Embeddings(Protocol):
    """Vectors of texts by the model that a person's team has for it. Its plugin may be absent."""

    async def embed(self, principal: Principal, texts: Sequence[str]) -> Vectors:
        """Returns a vector for each text, metered once where a model outside makes them. Not inside a scope.

        Raises `UserError` `no_embeddings` where there is no model, and what `Models.embed` raises.
        """


class NearPassage(NamedTuple):
    """A passage that is near a question, whoever may read it."""

    id: int
    document: DocumentRef
    #: The cosine of the angle between the two, in the model's own measure.
    score: float
    #: Whether it is nearer than texts that have nothing to do with each other.
    fits: bool


class Meaning(Protocol):
    """A question as vectors; made by `PassageIndex.question`."""

    def near(
        self, reader: Reader, among: Sequence[DocumentRef] | None = None
    ) -> AsyncGenerator[Sequence[NearPassage], None]:
        """Yields the passages of the person's company, the nearest first, a batch at a time, to the last.

        They are of everybody: whoever reads them on looks at rights first. With `among`, of these documents
        alone. What is being made anew after its text changed is left out.
        """


class PassageIndex(Protocol):
    """The passages of what is in the search index, in its transactions; the plugin `embeddings` offers it."""

    async def changed(self, writer: Writer, found: Findable) -> None:
        """Notes that a text is another one: from now on none of its passages is found until it was read."""

    async def removed(self, writer: Writer, type: str, ref_id: str) -> None:
        """Removes the passages of what is no longer to be found."""

    async def question(self, principal: Principal, text: str) -> Meaning | None:
        """Reads a question; None where there is nothing to compare it with. Not inside a scope.

        Raises what `Embeddings.embed` raises.
        """

    async def texts(
        self, reader: Reader, org_id: str, ids: Sequence[int]
    ) -> Mapping[int, tuple[str, Mapping[str, Any]]]:
        """Returns text and place of passages that somebody may read; those that are gone are left out."""


class VectorStore(Protocol):
    """Where vectors are kept and compared; what they stand for is not its affair."""

    async def put(
        self, writer: Writer, org_id: str, space: int, vectors: Mapping[int, Sequence[float]]
    ) -> None:
        """Adds vectors by the ids of their passages; those of one `space` have one length."""

    async def remove(self, writer: Writer, org_id: str, ids: Sequence[int]) -> None:
        """Removes vectors, as far as they are there."""

    def nearest(
        self, reader: Reader, org_id: str, space: int, vector: Sequence[float], among: Sequence[int] | None
    ) -> AsyncGenerator[Sequence[int], None]:
        """Yields ids of passages in batches, about the nearest first, to the last of `among` or of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorStoreKind:
    """A kind of vector store; for `declare_vector_stores`. The highest `rank` that is there is taken."""

    name: str
    rank: int
    open: Callable[[Host], VectorStore] = field(compare=False)
    #: Returns what is missing for it, in words for the operator; None where it can be used.
    missing: Callable[[Reader], Awaitable[str | None]] = field(compare=False)
