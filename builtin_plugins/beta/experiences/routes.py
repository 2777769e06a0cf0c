"""The rows of experiences, what they take and answer, and their handlers."""

import hashlib

from builtin_plugins.beta.experiences import publishing
from builtin_plugins.beta.experiences.current import Experiences
from builtin_plugins.beta.experiences.document import ASSET_KINDS, TYPES
from builtin_plugins.beta.experiences.public import slice_for
from builtin_plugins.beta.experiences.validation import (
    MAX_ANSWER,
    MAX_DOCUMENT,
    MAX_FIELDS,
    MAX_LABEL,
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_PROMPT,
)
from guildhall_sdk import (
    PAGE_QUERY,
    Auth,
    Call,
    InvalidRequest,
    NotFound,
    Reply,
    Route,
    cut_page,
    page,
    page_bounds,
)
from guildhall_sdk.dimensions import Quotas
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
from libs.strict_json import encode_json

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


ROUTES = (
    Route(
        "GET",
        "/api/beta/config",
        "read_config",
        "What the funnel of this hostname asks and says, in one language.",
        Auth.PUBLIC,
        query=LOCALE_QUERY,
        reply=SLICE,
        cors=True,
    ),
    Route(
        "GET",
        "/api/beta/experience",
        "read_draft",
        "The team's draft, its judge prompt too; before the first save, what is shown without one.",
        permission="settings:manage",
        reply=DRAFT,
    ),
    Route(
        "PUT",
        "/api/beta/experience",
        "save_draft",
        "Save the team's draft; fields that are left out stay as they are.",
        permission="settings:manage",
        body=CHANGE,
        reply=DRAFT,
        max_body=MAX_BODY,
    ),
    Route(
        "POST",
        "/api/beta/experience/publish",
        "publish_experience",
        "Publish the saved draft: the next visitor sees it.",
        permission="settings:manage",
        reply=PUBLISHED,
    ),
    Route(
        "GET",
        "/api/beta/experience/versions",
        "list_versions",
        "What the team has published, newest first.",
        permission="settings:manage",
        query=PAGE_QUERY,
        reply=VERSIONS,
    ),
    Route(
        "POST",
        "/api/beta/experience/restore",
        "restore_version",
        "Save a version that the team has published, or what a plugin offers, as its draft.",
        permission="settings:manage",
        body=RESTORE,
        reply=DRAFT,
    ),
)


_MAX_DIGITS = 16


async def read_config(call: Call) -> Reply:
    content = encode_json((await slice_for(call)).to_json())
    tag = hashlib.sha256(content).hexdigest()[:32]
    headers = {"Cache-Control": "no-cache", "Vary": "Host, Accept-Language"}
    return Reply(content=content, headers=headers, etag=f'"{tag}"')


async def read_draft(call: Call) -> Reply:
    seed = call.service(Experiences).seed()
    async with call.read() as reader:
        draft = await publishing.draft_of(reader, call.principal.team_id, seed)
    return _draft_reply(call, draft)


async def save_draft(call: Call) -> Reply:
    changes = {name: value for name, value in call.body.items() if name not in READ_ONLY}
    return _draft_reply(call, await publishing.save(call, changes))


async def publish_experience(call: Call) -> Reply:
    async with call.write() as writer:
        return Reply(
            await publishing.publish(
                writer, call.service(Quotas), call.principal, call.check_if_match, call.now_ms
            )
        )


async def list_versions(call: Call) -> Reply:
    after, fetched = page_bounds(call.query)
    async with call.read() as reader:
        rows = await publishing.list_page(reader, call.principal, _version_in(after), fetched)
    on_page, next_cursor = cut_page(rows, fetched, lambda row: str(row["version"]))
    return page([publishing.version_json(row) for row in on_page], next_cursor)


async def restore_version(call: Call) -> Reply:
    plugin, version = call.body.get("plugin"), call.body.get("version")
    if (plugin is None) == (version is None):
        raise InvalidRequest.at("", "takes either a version or a plugin")
    if plugin is None:
        async with call.read() as reader:
            document = await publishing.document_of(reader, call.principal, version)
    elif (offered := call.service(Experiences).offered(plugin)) is not None:
        document = offered
    else:
        raise NotFound("No plugin of this id offers an experience.")
    return _draft_reply(call, await publishing.restore(call, document, plugin))


def _draft_reply(call: Call, draft: publishing.Draft) -> Reply:
    return Reply(draft.to_json(call.service(Experiences).offers()), etag=draft.etag)


def _version_in(cursor: str | None) -> int:
    if cursor is None:
        return MAX_VERSION
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= _MAX_DIGITS):
        raise InvalidRequest.at("?cursor", "is not a cursor that this list gave; start without one")
    return int(cursor)


HANDLERS = {
    handler.__name__: handler
    for handler in (
        read_config,
        read_draft,
        save_draft,
        publish_experience,
        list_versions,
        restore_version,
    )
}
