"""The rows of the manager."""

from builtin_plugins.l10n.messages import schemas
from guildhall_sdk import PAGE_QUERY, Route

# Every character of a text may be written as two escapes of six bytes.
_MAX_BODY = 256 * 1024

ROUTES = (
    Route(
        "GET",
        "/api/l10n/coverage",
        "localization_coverage",
        "How many messages of each language have which status",
        permission="localization:read",
        query=PAGE_QUERY,
        reply=schemas.COVERAGE,
    ),
    Route(
        "GET",
        "/api/l10n/messages",
        "list_localization_messages",
        "The messages of a language, by key",
        permission="localization:read",
        query={
            **PAGE_QUERY,
            "locale": schemas.ASKED_LOCALE,
            "status": schemas.STATUS,
            "ns": schemas.NAMESPACE,
            "q": schemas.PHRASE,
        },
        reply=schemas.MESSAGES,
    ),
    Route(
        "GET",
        "/api/l10n/messages/:id/history",
        "localization_history",
        "What happened to a message, newest first",
        permission="localization:read",
        query=PAGE_QUERY,
        reply=schemas.HISTORY,
    ),
    Route(
        "PUT",
        "/api/l10n/messages/:id",
        "submit_translation",
        "Submit a translation, for somebody else to review",
        permission="localization:translate",
        body=schemas.SUBMIT,
        reply=schemas.SUBMITTED,
        max_body=_MAX_BODY,
    ),
    Route(
        "POST",
        "/api/l10n/review/:id",
        "review_translation",
        "Approve a translation or return it; not one's own",
        permission="localization:review",
        body=schemas.REVIEW,
        reply=schemas.MESSAGE,
    ),
    Route(
        "POST",
        "/api/l10n/import",
        "import_catalogs",
        "Load the catalogs on disk; nobody's own work is replaced",
        permission="localization:manage",
        body=schemas.IMPORT,
        reply=schemas.IMPORTED,
    ),
    Route(
        "POST",
        "/api/l10n/export",
        "export_catalog",
        "Write the approved texts of a language into its catalog file",
        permission="localization:manage",
        body=schemas.ONE_LOCALE,
        reply=schemas.EXPORTED,
    ),
    Route(
        "POST",
        "/api/l10n/discard",
        "discard_drafts",
        "Remove the machine drafts of a language",
        permission="localization:manage",
        body=schemas.ONE_LOCALE,
        reply=schemas.DISCARDED,
    ),
)
