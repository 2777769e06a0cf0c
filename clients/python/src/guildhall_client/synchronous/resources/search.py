"""The rows of search."""

from typing import Literal

from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.search import SearchHit, SearchHitPage


class Search:
    """Calls of search."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def list(
        self,
        *,
        page_size: int | None = None,
        q: str | None = None,
        type: str | None = None,
        scope: Literal["team", "org"] | None = None,
        mode: Literal["words", "meaning", "hybrid"] | None = None,
    ) -> Pages[SearchHit, SearchHitPage]:
        """What the caller may read, by the words in it, best first; scope=org spans the company.

        `q`: Words, all of which must be there; "a phrase"; -without. The last word may be a
            beginning
        `type`: Only this type: note, object, entity
        `scope`: org: what is visible to any team of the company
        `mode`: How to find; without it hybrid where there are embeddings, else words
        Needs search.
        """
        return Pages(
            self._api,
            "/api/search",
            query={"limit": page_size, "q": q, "type": type, "scope": scope, "mode": mode},
        )
