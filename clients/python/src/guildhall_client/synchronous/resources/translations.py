"""The rows of translations."""

from collections.abc import Mapping

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.translations import (
    CreatedTranslation,
    Translation,
    TranslationCatalogReply,
    TranslationPage,
)


class Translations:
    """Calls of translations."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def catalog(
        self, *, messages: Mapping[str, str], target: str, source: str | Omitted = OMITTED
    ) -> TranslationCatalogReply:
        """The messages of a catalog in another language, with their placeholders.

        `messages`: ICU messages by key
        `source`: The language tag of what is sent; without it the model looks
        `target`: A language tag, such as nl or nl-BE
        Needs chat:use.
        """
        reply: TranslationCatalogReply = self._api.call(
            "POST",
            "/api/translate/catalog",
            fields={"messages": messages, "source": source, "target": target},
        )
        return reply

    def create(self, *, target: str, text: str, source: str | Omitted = OMITTED) -> CreatedTranslation:
        """A text in another language, by the team's glossary.

        `source`: The language tag of what is sent; without it the model looks
        `target`: A language tag, such as nl or nl-BE
        Needs chat:use.
        """
        reply: CreatedTranslation = self._api.call(
            "POST", "/api/translate", fields={"source": source, "target": target, "text": text}
        )
        return reply

    def delete(self, id: str) -> None:
        """Take a translation of one's own out of the history.

        Needs chat:use.
        """
        self._api.call("DELETE", f"/api/translate/{segment(id)}")

    def list(self, *, page_size: int | None = None) -> Pages[Translation, TranslationPage]:
        """The team's translations, newest first; texts are shown to whoever asked for them.

        Needs chat:use.
        """
        return Pages(self._api, "/api/translate", query={"limit": page_size})
