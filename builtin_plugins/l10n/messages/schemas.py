"""What the manager takes and gives."""

from builtin_plugins.l10n.catalogs.files import MAX_TEXT
from builtin_plugins.l10n.messages.message import STATUSES
from builtin_plugins.l10n.messages.reviewing import APPROVE, RETURN
from guildhall_sdk.schema import array, enum, integer, listing, nullable, obj, shape, string, time
from libs.names import LOCALE_MAX, LOCALE_PATTERN

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
