"""The rows of localization."""

from typing import Literal

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.localization import (
    LocalizationCatalog,
    LocalizationCoverage,
    LocalizationCoveragePage,
    LocalizationDiscardReply,
    LocalizationDraftReply,
    LocalizationExportMessagesReply,
    LocalizationHistory,
    LocalizationHistoryPage,
    LocalizationImportMessagesReply,
    LocalizationReviewReply,
    LocalizationReviewReplyPage,
    LocalizationSetMessageReply,
    LocalizationSetPolicyReply,
)


class Localization:
    """Calls of localization."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def catalog(self, *, locale: str | None = None) -> LocalizationCatalog:
        """The texts of all screens in one language, each from the first of its chain that has it.

        `locale`: A language tag, such as nl-BE
        """
        reply: LocalizationCatalog = self._api.call("GET", "/api/i18n/catalog", query={"locale": locale})
        return reply

    def coverage(
        self, *, page_size: int | None = None
    ) -> Pages[LocalizationCoverage, LocalizationCoveragePage]:
        """How many messages of each language have which status.

        Needs localization:read.
        """
        return Pages(self._api, "/api/l10n/coverage", query={"limit": page_size})

    def discard(self, *, locale: str) -> LocalizationDiscardReply:
        """Remove the machine drafts of a language.

        `locale`: A language tag, such as nl or nl-BE
        Needs localization:manage.
        """
        reply: LocalizationDiscardReply = self._api.call(
            "POST", "/api/l10n/discard", fields={"locale": locale}
        )
        return reply

    def draft(self, *, locale: str) -> LocalizationDraftReply:
        """Queue machine drafts for the next missing messages of a language.

        `locale`: A language tag, such as nl or nl-BE
        Needs localization:manage.
        """
        reply: LocalizationDraftReply = self._api.call("POST", "/api/l10n/draft", fields={"locale": locale})
        return reply

    def export_messages(self, *, locale: str) -> LocalizationExportMessagesReply:
        """Write the approved texts of a language into its catalog file.

        `locale`: A language tag, such as nl or nl-BE
        Needs localization:manage.
        """
        reply: LocalizationExportMessagesReply = self._api.call(
            "POST", "/api/l10n/export", fields={"locale": locale}
        )
        return reply

    def history(
        self, id: str, *, page_size: int | None = None
    ) -> Pages[LocalizationHistory, LocalizationHistoryPage]:
        """What happened to a message, newest first.

        Needs localization:read.
        """
        return Pages(self._api, f"/api/l10n/messages/{segment(id)}/history", query={"limit": page_size})

    def import_messages(self, *, locale: str | Omitted = OMITTED) -> LocalizationImportMessagesReply:
        """Load the catalogs on disk; nobody's own work is replaced.

        `locale`: One language, which may be a new one; without it, all
        Needs localization:manage.
        """
        reply: LocalizationImportMessagesReply = self._api.call(
            "POST", "/api/l10n/import", fields={"locale": locale}
        )
        return reply

    def messages(
        self,
        *,
        page_size: int | None = None,
        locale: str | None = None,
        status: Literal["missing", "machine", "submitted", "returned", "approved", "stale"] | None = None,
        ns: str | None = None,
        q: str | None = None,
    ) -> Pages[LocalizationReviewReply, LocalizationReviewReplyPage]:
        """The messages of a language, by key.

        `locale`: A language tag, such as nl or nl-BE
        `ns`: What stands before the first dot of a key
        `q`: Stands in the key, the source or the text; case does not matter
        Needs localization:read.
        """
        return Pages(
            self._api,
            "/api/l10n/messages",
            query={"limit": page_size, "locale": locale, "status": status, "ns": ns, "q": q},
        )

    def review(
        self, id: str, *, action: Literal["approve", "return"], comment: str | Omitted | None = OMITTED
    ) -> LocalizationReviewReply:
        """Approve a translation or return it; not one's own.

        Needs localization:review.
        """
        reply: LocalizationReviewReply = self._api.call(
            "POST", f"/api/l10n/review/{segment(id)}", fields={"action": action, "comment": comment}
        )
        return reply

    def set_message(self, id: str, *, text: str) -> LocalizationSetMessageReply:
        """Submit a translation, for somebody else to review.

        `text`: An ICU message
        Needs localization:translate.
        """
        reply: LocalizationSetMessageReply = self._api.call(
            "PUT", f"/api/l10n/messages/{segment(id)}", fields={"text": text}
        )
        return reply

    def set_policy(
        self, *, default_locale: str | Omitted = OMITTED, switching: bool | Omitted = OMITTED
    ) -> LocalizationSetPolicyReply:
        """Set the default language, and whether people may choose another.

        `default_locale`: A language tag, such as nl-BE
        Needs instance:manage.
        """
        reply: LocalizationSetPolicyReply = self._api.call(
            "PUT", "/api/i18n", fields={"default_locale": default_locale, "switching": switching}
        )
        return reply
