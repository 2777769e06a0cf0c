"""Sources of search: what a plugin lets people find."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from operator import attrgetter
from typing import Protocol

from guildhall_sdk.data import Statement
from guildhall_sdk.hooks import declares


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


class SearchHooks(Protocol):
    """The hook of the plugin `search`."""

    @declares(SearchSource, label="search source", name=attrgetter("type"))
    def declare_search_sources(self) -> Sequence[SearchSource]:
        """Declares types of things that search finds, each with who may read them."""
