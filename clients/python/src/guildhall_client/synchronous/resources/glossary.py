"""The rows of glossary."""

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.glossary import GlossaryTerm, GlossaryTermPage


class Glossary:
    """Calls of glossary."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def delete(self, id: str) -> None:
        """Take a term out of the glossary.

        Needs settings:manage.
        """
        self._api.call("DELETE", f"/api/glossary/{segment(id)}")

    def set(
        self, *, target: str, term: str, translation: str, note: str | Omitted | None = OMITTED
    ) -> GlossaryTerm:
        """Add a term for a target language, or change it.

        `target`: A language tag, such as nl or nl-BE
        Needs settings:manage.
        """
        reply: GlossaryTerm = self._api.call(
            "POST",
            "/api/glossary",
            fields={"note": note, "target": target, "term": term, "translation": translation},
        )
        return reply

    def list(
        self, *, page_size: int | None = None, target: str | None = None
    ) -> Pages[GlossaryTerm, GlossaryTermPage]:
        """The team's glossary, newest terms first.

        `target`: A language tag, such as nl or nl-BE
        Needs chat:use.
        """
        return Pages(self._api, "/api/glossary", query={"limit": page_size, "target": target})
