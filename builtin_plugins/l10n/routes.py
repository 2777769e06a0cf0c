"""The rows of localization, what they take and answer, and messages for the conformance tests."""

from builtin_plugins.l10n.catalogs.files import MAX_TEXT
from builtin_plugins.l10n.messages.message import STATUSES
from builtin_plugins.l10n.messages.reviewing import APPROVE, RETURN
from guildhall_sdk import PAGE_QUERY, Auth, Factory, Route, SampleClient
from guildhall_sdk.schema import (
    anything,
    array,
    boolean,
    enum,
    integer,
    listing,
    nullable,
    obj,
    shape,
    string,
    time,
)
from libs.names import LOCALE_MAX, LOCALE_PATTERN

CATALOG_LOCALE = string(
    max_length=LOCALE_MAX, pattern=LOCALE_PATTERN, description="A language tag, such as nl-BE"
)

CATALOG = shape(
    {
        "locale": string(description="The language that was asked for, or the default"),
        "chain": array(string(), description="Where each text is looked for, in this order"),
        "messages": anything(type="object", description="ICU messages by key"),
    }
)
POLICY = shape(
    {
        "default_locale": string(),
        "locales": array(shape({"code": string(), "name": string(), "dir": enum("ltr", "rtl")})),
        "switching": boolean(description="Whether people may choose another language than the default"),
    }
)
POLICY_CHANGE = obj(
    {"default_locale": CATALOG_LOCALE, "switching": boolean()},
    example={"default_locale": "nl", "switching": True},
)

MAX_COMMENT = 2_000

LOCALE = string(
    max_length=LOCALE_MAX, pattern=LOCALE_PATTERN, description="A language tag, such as nl or nl-BE"
)
ASKED_LOCALE = {**LOCALE, "examples": ["nl"]}
STATUS = enum(*STATUSES)
NAMESPACE = string(max_length=200, description="What stands before the first dot of a key")
PHRASE = string(max_length=200, description="Stands in the key, the source or the text; case does not matter")

IMPORT = obj(
    {"locale": {**LOCALE, "description": "One language, which may be a new one; without it, all"}},
    example={"locale": "nl"},
)
IMPORTED = shape({"imported": integer(0), "updated": integer(0), "stale": integer(0)})
ONE_LOCALE = obj({"locale": LOCALE}, required=["locale"], example={"locale": "nl"})
DISCARDED = shape({"discarded": integer(0)})
EXPORTED = shape({"locale": string(), "written": integer(0)})
COVERAGE = listing(
    shape({"locale": string(), "total": integer(0), **{status: integer(0) for status in STATUSES}})
)

SUBMIT = obj(
    {"text": string(min_length=1, max_length=MAX_TEXT, description="An ICU message")},
    required=["text"],
    example={"text": "Notities"},
)
REVIEW = obj(
    {"action": enum(APPROVE, RETURN), "comment": nullable(string(max_length=MAX_COMMENT))},
    required=["action"],
    example={"action": "return", "comment": "This is how we say it in Flanders only."},
)
_message = {
    "id": string(),
    "locale": string(),
    "key": string(),
    "ns": string(),
    "source": string(),
    "previous_source": nullable(string(description="What the text was made for, before the source changed")),
    "text": nullable(string()),
    "approved_text": nullable(string(description="What screens are served")),
    "status": STATUS,
    "origin": nullable(enum("file", "machine", "human")),
    "version": integer(1, description='What If-Match names, in quotes: "3"'),
    "submitted_by": nullable(string()),
    "reviewed_by": nullable(string()),
    "comment": nullable(string()),
    "problem": nullable(string(description="Why there is no draft, or why a file's text was not taken")),
    "updated_at": time(),
}
MESSAGE = shape(_message)
MESSAGES = listing(MESSAGE)
SUBMITTED = shape({**_message, "warnings": array(shape({"code": string(), "message": string()}))})
HISTORY = listing(
    shape(
        {
            "version": integer(1),
            "action": string(),
            "by": nullable(shape({"id": string(), "name": string()})),
            "text": nullable(string()),
            "comment": nullable(string()),
            "at": time(),
        }
    )
)

QUEUED = shape(
    {
        "queued": integer(0, description="Messages that a job was queued for, at most 20"),
        "remaining": integer(0, description="Missing messages that no job is under way for"),
        "jobs": array(string(description="The id of a job")),
    }
)

# Every character of a text may be written as two escapes of six bytes.
_MAX_BODY = 256 * 1024

ROUTES: tuple[Route, ...] = (
    Route(
        "GET",
        "/api/i18n/catalog",
        "read_catalog",
        "The texts of all screens in one language, each from the first of its chain that has it.",
        Auth.PUBLIC,
        query={"locale": CATALOG_LOCALE},
        reply=CATALOG,
    ),
    Route(
        "PUT",
        "/api/i18n",
        "change_localization",
        "Set the default language, and whether people may choose another.",
        permission="instance:manage",
        body=POLICY_CHANGE,
        reply=POLICY,
    ),
    Route(
        "GET",
        "/api/l10n/coverage",
        "localization_coverage",
        "How many messages of each language have which status",
        permission="localization:read",
        query=PAGE_QUERY,
        reply=COVERAGE,
    ),
    Route(
        "GET",
        "/api/l10n/messages",
        "list_localization_messages",
        "The messages of a language, by key",
        permission="localization:read",
        query={
            **PAGE_QUERY,
            "locale": ASKED_LOCALE,
            "status": STATUS,
            "ns": NAMESPACE,
            "q": PHRASE,
        },
        reply=MESSAGES,
    ),
    Route(
        "GET",
        "/api/l10n/messages/:id/history",
        "localization_history",
        "What happened to a message, newest first",
        permission="localization:read",
        query=PAGE_QUERY,
        reply=HISTORY,
    ),
    Route(
        "PUT",
        "/api/l10n/messages/:id",
        "submit_translation",
        "Submit a translation, for somebody else to review",
        permission="localization:translate",
        body=SUBMIT,
        reply=SUBMITTED,
        max_body=_MAX_BODY,
    ),
    Route(
        "POST",
        "/api/l10n/review/:id",
        "review_translation",
        "Approve a translation or return it; not one's own",
        permission="localization:review",
        body=REVIEW,
        reply=MESSAGE,
    ),
    Route(
        "POST",
        "/api/l10n/import",
        "import_catalogs",
        "Load the catalogs on disk; nobody's own work is replaced",
        permission="localization:manage",
        body=IMPORT,
        reply=IMPORTED,
    ),
    Route(
        "POST",
        "/api/l10n/export",
        "export_catalog",
        "Write the approved texts of a language into its catalog file",
        permission="localization:manage",
        body=ONE_LOCALE,
        reply=EXPORTED,
    ),
    Route(
        "POST",
        "/api/l10n/discard",
        "discard_drafts",
        "Remove the machine drafts of a language",
        permission="localization:manage",
        body=ONE_LOCALE,
        reply=DISCARDED,
    ),
    Route(
        "POST",
        "/api/l10n/draft",
        "draft_messages",
        "Queue machine drafts for the next missing messages of a language",
        permission="localization:manage",
        body=ONE_LOCALE,
        reply=QUEUED,
        status=202,
    ),
)


async def a_message(client: SampleClient, canary: str) -> str:
    """Returns the id of any message, after an import where there is none."""
    for _ in range(2):
        _, found = await client.call("GET", "/api/l10n/messages?locale=nl&limit=1")
        if found["items"]:
            break
        await client.call("POST", "/api/l10n/import", {"locale": "nl"})
    return str(found["items"][0]["id"])


FACTORIES = tuple(
    Factory(at, a_message, tenant=False, role="localizer")
    for at in ("/api/l10n/messages/:id", "/api/l10n/review/:id")
)
