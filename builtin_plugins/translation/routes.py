"""The rows of translation and the glossary."""

from builtin_plugins.translation import schemas
from guildhall_sdk import PAGE_QUERY, Route

# A character may be written as two escapes of six bytes.
_MAX_BODY = 2 * 1024 * 1024

ROUTES = (
    Route(
        "POST",
        "/api/translate/catalog",
        "translate_catalog",
        "The messages of a catalog in another language, with their placeholders",
        permission="chat:use",
        feature="translate",
        body=schemas.CATALOG,
        reply=schemas.TRANSLATED_CATALOG,
        max_body=_MAX_BODY,
    ),
    Route(
        "POST",
        "/api/translate",
        "translate",
        "A text in another language, by the team's glossary",
        permission="chat:use",
        feature="translate",
        body=schemas.TRANSLATE,
        reply=schemas.TRANSLATED,
        max_body=_MAX_BODY,
    ),
    Route(
        "GET",
        "/api/translate",
        "list_translations",
        "The team's translations, newest first; texts are shown to whoever asked for them",
        permission="chat:use",
        query=PAGE_QUERY,
        reply=schemas.HISTORY,
    ),
    Route(
        "DELETE",
        "/api/translate/:id",
        "delete_translation",
        "Take a translation of one's own out of the history",
        permission="chat:use",
        status=204,
    ),
    Route(
        "POST",
        "/api/glossary",
        "put_term",
        "Add a term for a target language, or change it",
        permission="settings:manage",
        body=schemas.PUT_TERM,
        reply=schemas.TERM,
    ),
    Route(
        "GET",
        "/api/glossary",
        "list_terms",
        "The team's glossary, newest terms first",
        permission="chat:use",
        query={**PAGE_QUERY, "target": schemas.LANGUAGE},
        reply=schemas.TERMS,
    ),
    Route(
        "DELETE",
        "/api/glossary/:id",
        "delete_term",
        "Take a term out of the glossary",
        permission="settings:manage",
        status=204,
    ),
)
