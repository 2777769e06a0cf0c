"""The row of drafts."""

from builtin_plugins.l10n.drafts import schemas
from guildhall_sdk import Route

ROUTES = (
    Route(
        "POST",
        "/api/l10n/draft",
        "draft_messages",
        "Queue machine drafts for the next missing messages of a language",
        permission="localization:manage",
        body=schemas.DRAFT,
        reply=schemas.QUEUED,
        status=202,
    ),
)
