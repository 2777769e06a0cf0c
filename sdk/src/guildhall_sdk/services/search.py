"""Finding what people wrote, by words and by meaning, within a person's rights; notes, shown elsewhere."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from guildhall_sdk.context import Host
from guildhall_sdk.data import Reader, Statement, Writer
from guildhall_sdk.principal import Principal
from guildhall_sdk.services.models import Embedded


class PreparedText(Protocol):
    """A text that was split into words before the transaction that it is put in."""

    org_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Findable:
    """One thing with the words it is found by; `prepared` is its text, where that was prepared.

    `new` says that there was nothing of this id before, which spares the index a look.
    """

    type: str
    ref_id: str
    org_id: str
    team_id: str
    title: str
    text: str
    prepared: PreparedText | None = field(default=None, compare=False, repr=False)
    new: bool = field(default=False, compare=False, kw_only=True)


class SearchIndex(Protocol):
    """The search index, which changes with the transaction that changes the thing itself.

    It holds words and no rights: those are the source's, asked anew by each search. So a change of who may
    read a thing is no change of the index.
    """

    async def prepare(self, org_id: str, text: str) -> PreparedText | None:
        """Splits a long text into words, for `put`; returns None where it is short. Not inside a scope.

        A long one takes seconds, and inside a transaction everybody else's would wait for it.
        """

    async def put(self, writer: Writer, found: Findable) -> None:
        """Makes a thing findable by these words, in place of those before.

        Of a long text the first million characters count.
        """

    async def remove(self, writer: Writer, type: str, ref_id: str) -> None:
        """Removes a thing from the index, if it is there."""


class FoundPage(NamedTuple):
    """What a caller may read of what was found, best first, as `GET /api/search` shows it."""

    items: Sequence[dict[str, Any]]
    next_cursor: str | None
    #: The types that could not be searched just now.
    unavailable: Sequence[str] = ()


SearchMode = Literal["words", "meaning", "hybrid"]


class Search(Protocol):
    """Finds what a caller may read, by the words in it, by its meaning, or by both."""

    async def find(
        self,
        principal: Principal,
        text: str,
        *,
        type: str | None = None,
        across_company: bool = False,
        cursor: str | None = None,
        limit: int = 50,
        mode: SearchMode | None = "words",
    ) -> FoundPage:
        """Finds what the caller may see, not inside a scope. `across_company` needs `org:read`.

        A `mode` of None is `hybrid` where there are embeddings, else `words`. Raises `PermissionDenied`, and
        `InvalidRequest` for a type, a mode or a cursor that is none.
        """

    async def readable(
        self, principal: Principal, documents: Sequence[tuple[str, str]]
    ) -> Mapping[tuple[str, str], str]:
        """Returns those of the documents, by type and id, that the caller may read, with their titles."""

    def url(self, type: str, ref_id: str) -> str:
        """Returns where a thing is read, as hits name it; empty for a type that nobody declares."""


@dataclass(frozen=True, slots=True)
class SearchSource:
    """One type of thing that search finds, and the query that says who may read it.

    `readable` is a query of one row or none for the id in `hit.ref_id`, with the binds `:user_id`,
    `:team_id`, `:org_id`, `:now` and `:by_role`, which is 1 where the caller's role holds `permission` and
    else 0: a row means that this person may read it, by role, ownership or grant. It runs inside the search
    itself, so that pages tell nothing of the rest. `readable_in_org` is the same for `scope=org`. A caller
    whose credential's scope leaves `permission` out is shown none.

    Where who may read a thing goes by who may read another, `1 = 0 /* readable: object */` in it stands for
    the rule of that other source, here the one of type `object`, asked of the `hit.ref_id` that is nearest.
    It must be the same permission that lets both be read.

    `few` lets somebody who may read little be answered past everybody else's things: the `ref_id` of all
    that `readable` could admit for the same binds, or more, at most `:limit`; each is still judged by
    `readable`. Where it goes by another source, `SELECT '' AS ref_id WHERE 1 = 0 /* few: object */` stands
    for what that gives.

    `every` gives what was there before the index: `ref_id`, `org_id`, `team_id`, `title` and `text` of those
    whose id is after `:after`, by id, at most `:limit`; on PostgreSQL `FOR SHARE`, so that nobody changes one
    meanwhile. `url` takes the id: `/api/notes/{id}`. A team that has `feature` off finds none.
    """

    type: str
    permission: str
    url: str
    readable: Statement
    readable_in_org: Statement
    _: KW_ONLY
    every: Statement | None = None
    few: Statement | None = None
    feature: str | None = None


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
    found_by: Sequence[Literal["words", "meaning"]]
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


class Embeddings(Protocol):
    """Vectors of texts by the model that a person's team has for it. Its plugin may be absent."""

    async def embed(self, principal: Principal, texts: Sequence[str]) -> Embedded:
        """Returns a vector for each text, metered once where a model outside makes them. Not inside a scope.

        One inside the server has no executor, and uses no tokens.

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


#: Yields the passages of a company that are near a question, the nearest first, a batch at a time, to the
#: last. They are of everybody: whoever reads them on looks at rights first. The second argument is None, or
#: the documents that they are of. What is being made anew after its text changed is left out.
FindNear = Callable[[Reader, Sequence[DocumentRef] | None], AsyncGenerator[Sequence[NearPassage], None]]


class PassageIndex(Protocol):
    """The passages of what is in the search index, in its transactions; the plugin `embeddings` offers it."""

    async def changed(self, writer: Writer, found: Findable) -> None:
        """Notes that a text is another one: from now on none of its passages is found until it was read."""

    async def removed(self, writer: Writer, type: str, ref_id: str) -> None:
        """Removes the passages of what is no longer to be found."""

    async def question(self, principal: Principal, text: str) -> FindNear | None:
        """Reads a question, and returns what finds the passages near it. Not inside a scope.

        Returns None where there is nothing to compare it with. Raises what `Embeddings.embed` raises.
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


class ReadableNote(NamedTuple):
    """A note that the caller may read."""

    id: str
    title: str
    body: str
    #: In milliseconds since 1970.
    updated_at: int


class Notes(Protocol):
    """The notes of all teams, each for whom it is there. Its plugin may be absent: `find_service`.

    All calls raise `PermissionDenied`, and `FeatureDisabled` where the team has the plugin off.
    """

    async def read(self, reader: Reader, principal: Principal, note_id: str) -> ReadableNote:
        """Returns what has this id. Raises `NotFound` where there is none that the caller may read."""

    async def page(
        self, reader: Reader, principal: Principal, *, before: str | None = None, limit: int = 50
    ) -> Sequence[ReadableNote]:
        """Returns those that the caller may read, newest first, older than the note of the id `before`.

        It may be shorter than asked for where the notes are long; the last page is empty.
        """

    async def save(
        self, principal: Principal, *, title: str, body: str, note_id: str | None = None
    ) -> ReadableNote:
        """Changes a note that the caller may write, or makes one that they alone may read. Not in a scope.

        Raises what the rows of notes answer: `NotFound`, `Conflict`, `TooManyRequests` `quota_exceeded`, and
        `InvalidRequest` for a title or a body that is too long.
        """
