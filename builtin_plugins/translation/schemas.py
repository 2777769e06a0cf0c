"""What translation takes and gives."""

from builtin_plugins.translation.catalogs import MAX_MESSAGE, MAX_MESSAGES
from builtin_plugins.translation.translator import MAX_CHARACTERS
from builtin_plugins.translation.words import MAX_TERM
from guildhall_sdk.schema import array, boolean, integer, listing, nullable, obj, shape, string, time
from libs.names import LOCALE_MAX, LOCALE_PATTERN

LANGUAGE = string(
    max_length=LOCALE_MAX, pattern=LOCALE_PATTERN, description="A language tag, such as nl or nl-BE"
)
_source = {**LANGUAGE, "description": "The language tag of what is sent; without it the model looks"}

TRANSLATE = obj(
    {"text": string(min_length=1, max_length=MAX_CHARACTERS), "target": LANGUAGE, "source": _source},
    required=["text", "target"],
    example={"text": "The purchase order is late.", "target": "nl"},
)
_use = shape({"term": string(), "translation": string()})
_uses = array(_use, description="Terms of the glossary that stand in the source")
_missed = array(_use, description="Those of them that the translation has not")
_person = shape({"id": string(), "name": string()})
_usage = shape(
    {"prompt_tokens": integer(0), "completion_tokens": integer(0), "total_tokens": integer(0)},
)
_untranslated = boolean(description="No model is there: the glossary was applied and nothing else")
TRANSLATED = shape(
    {
        "id": string(),
        "text": string(),
        "source": nullable(string(description="null where nobody knows")),
        "target": string(),
        "glossary": _uses,
        "missed": _missed,
        "simulated": boolean(),
        "untranslated": _untranslated,
        "model": string(),
        "usage": _usage,
        "by": _person,
        "created_at": time(),
    }
)
HISTORY = listing(
    shape(
        {
            "id": string(),
            "text": nullable(string(description="null for whoever did not ask for it")),
            "source_text": nullable(string()),
            "source": nullable(string()),
            "target": string(),
            "glossary": nullable(_uses),
            "missed": nullable(_missed),
            "simulated": boolean(),
            "untranslated": _untranslated,
            "model": string(),
            "by": _person,
            "created_at": time(),
        }
    )
)

CATALOG = obj(
    {
        "target": LANGUAGE,
        "messages": {
            "type": "object",
            "additionalProperties": dict(string(max_length=MAX_MESSAGE)),
            "minProperties": 1,
            "maxProperties": MAX_MESSAGES,
            "description": "ICU messages by key",
        },
        "source": _source,
    },
    required=["target", "messages"],
    example={"target": "es", "messages": {"notes.count": "{n, plural, one {# note} other {# notes}}"}},
)
_messages = {"type": "object", "additionalProperties": dict(string())}
TRANSLATED_CATALOG = shape(
    {
        "target": string(),
        "source": nullable(string()),
        "messages": _messages,
        "problems": array(shape({"key": string(), "message": string()})),
        "glossary": _uses,
        "missed": array(shape({"key": string(), "term": string(), "translation": string()})),
        "simulated": boolean(),
        "untranslated": _untranslated,
        "model": string(),
        "usage": _usage,
    }
)

PUT_TERM = obj(
    {
        "target": LANGUAGE,
        "term": string(min_length=1, max_length=MAX_TERM),
        "translation": string(min_length=1, max_length=MAX_TERM),
        "note": nullable(string(max_length=1_000, description="How the term is meant, for the model")),
    },
    required=["target", "term", "translation"],
    example={"target": "nl", "term": "purchase order", "translation": "inkooporder"},
)
TERM = shape(
    {
        "id": string(),
        "target": string(),
        "term": string(),
        "translation": string(),
        "note": nullable(string()),
        "by": _person,
        "created_at": time(),
        "updated_at": time(),
    }
)
TERMS = listing(TERM)
