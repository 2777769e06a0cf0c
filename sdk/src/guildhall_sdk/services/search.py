"""The search index, as the plugins that fill it and those that ask it see it; notes, shown elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from guildhall_sdk.data import Reader, Statement, Writer
from guildhall_sdk.principal import Principal


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
