"""Bodies that come in and answers that go out."""

from builtin_plugins.beta.experiences.document import ASSET_KINDS, TYPES
from builtin_plugins.beta.experiences.judging import (
    MAX_ANSWER,
    MAX_DOCUMENT,
    MAX_FIELDS,
    MAX_LABEL,
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_PROMPT,
)
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

# Characters beyond ASCII may come as escapes of six bytes.
MAX_BODY = 4 * MAX_DOCUMENT
MAX_VERSION = 2**53

_FIELD = obj(
    {
        "name": string(min_length=1, max_length=64, description="a-z, 0-9 and _, a letter first"),
        "type": enum(*TYPES),
        "label": string(min_length=1, max_length=MAX_LABEL),
        "required": boolean(),
        "options": array(string(max_length=MAX_OPTION), maxItems=MAX_OPTIONS),
        "max_length": integer(1, MAX_ANSWER),
    },
    required=["name", "type", "label"],
)
_COPY = anything(
    type="object",
    description="Texts by language, then by key: title, subtitle, submit, thanks; label_<field>, "
    "help_<field>, placeholder_<field> and option_<field>_<n> are of the form; a template has slots for all",
)
_ASSETS = obj(
    {kind: nullable(string(max_length=200)) for kind in ASSET_KINDS},
    description="Ids of the team's assets, or paths below /beta/bundle/",
)
_THEME = anything(type="object", description="Theme tokens, as branding takes them")
_TEMPLATE = string(description="HTML of at most 256 KiB with Mustache slots named as the copy's keys")
_PROMPT = string(max_length=MAX_PROMPT, description="How prospects are judged; never public")

#: What a draft is answered with and nobody sets: taken, so that one can be sent as it was read, and ignored.
READ_ONLY = ("offers", "version", "saved_by", "saved_at")

CHANGE = obj(
    {
        "fields": array(_FIELD, maxItems=MAX_FIELDS),
        "copy": _COPY,
        "theme": _THEME,
        "judge_prompt": _PROMPT,
        "template": nullable(_TEMPLATE),
        "assets": _ASSETS,
        **{name: anything(readOnly=True, description="As it was read; ignored") for name in READ_ONLY},
    },
    example={
        "fields": [
            {"name": "email", "type": "email", "label": "Work e-mail", "required": True},
            {"name": "size", "type": "select", "label": "Team size", "options": ["1-10", "11-100"]},
        ],
        "copy": {
            "en": {"title": "Ship on time", "subtitle": "", "submit": "Join", "thanks": "See you soon."},
            "nl": {"title": "Op tijd verzonden", "submit": "Doe mee", "label_email": "Zakelijk e-mailadres"},
        },
        "theme": {"accent": "#7a1f5c", "radius": 4},
        "judge_prompt": "We look for teams that ship goods by sea.",
    },
)
RESTORE = obj(
    {
        "version": integer(1, MAX_VERSION, description="One that the team has published"),
        "plugin": string(min_length=1, max_length=64, description="One of the draft's offers, instead"),
    },
    example={"version": 1},
)

_DOCUMENT = {
    "fields": array(anything(type="object")),
    "copy": _COPY,
    "theme": _THEME,
    "judge_prompt": string(),
    "template": nullable(string()),
    "assets": anything(type="object"),
}
DRAFT = shape(
    {
        **_DOCUMENT,
        "offers": array(string(), description="The plugins whose experience can be made the draft"),
        "version": integer(description="How often it was saved; 0 for a draft that is not saved yet"),
        "saved_by": nullable(string()),
        "saved_at": nullable(time()),
    }
)
_PUBLISHED = {
    "id": string(),
    "version": integer(),
    "published_by": string(),
    "published_at": time(),
    "current": boolean(description="Whether this is the version that visitors see"),
}
PUBLISHED = shape({**_DOCUMENT, **_PUBLISHED})
VERSIONS = listing(shape(_PUBLISHED))

LOCALE_QUERY = {"locale": string(max_length=64, description="A language such as nl-BE; else the browser's")}
SLICE = shape(
    {
        "fields": array(anything(type="object"), description="The form, in the language that is answered"),
        "copy": anything(type="object", description="The experience's texts by key"),
        "texts": anything(type="object", description="The page's own ICU messages by key"),
        "theme": anything(type="object", description="Every token: the theme over the default"),
        "assets": anything(type="object", description="Addresses of logo, hero and font"),
        "template": boolean(description="Whether /beta/template is the team's own"),
        "locale": string(),
        "dir": enum("ltr", "rtl"),
        "locales": array(anything(type="object")),
        "published": boolean(),
        "version": integer(description="0 for an experience that nobody has published"),
    }
)
