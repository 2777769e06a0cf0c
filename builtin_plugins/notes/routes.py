"""The rows of notes: bodies that come in, answers that go out, and notes for the conformance tests."""

from builtin_plugins.notes.note import ALL, MAX_CHARACTERS, MAX_TITLE
from guildhall_sdk import PAGE_QUERY, Factory, Route, SampleClient
from guildhall_sdk.schema import array, enum, integer, listing, obj, shape, string, time

SORTS = ("updated", "created", "title")
# Room for a text of that length in any script, and for some escapes.
MAX_BODY = 8 * 1024 * 1024
MAX_TAGS, MAX_TAG = 20, 40

_visibility = enum("private", "team", description="private: the owner and whom they share it with")
_fields = {
    "title": string(min_length=1, max_length=MAX_TITLE),
    "body": string(max_length=MAX_CHARACTERS),
    "visibility": _visibility,
    "tags": array(
        string(min_length=1, max_length=MAX_TAG), maxItems=MAX_TAGS, description="In place of those before"
    ),
}
_user_id = string(min_length=1, max_length=64)
_permission = enum(*sorted(ALL))

CREATE = obj(
    _fields,
    required=["title"],
    example={"title": "Minutes", "body": "We met, we spoke, we went home.", "visibility": "team"},
)
UPDATE = obj(_fields, example={"body": "We met and decided."})
SHARE = obj(
    {"user_id": _user_id, "permission": _permission},
    required=["user_id", "permission"],
    example={"user_id": "usr_0123456789", "permission": "notes:read"},
)
UNSHARE = obj({"user_id": _user_id}, required=["user_id"], example={"user_id": "usr_0123456789"})

SCOPE = enum("team", "org", default="team", description="org: what is visible to any team of the company")

NOTE = shape(
    {
        "id": string(),
        "title": string(),
        "body": string(),
        "excerpt": string(description="How the body begins, on one line"),
        "tags": array(string()),
        "visibility": _visibility,
        "owner": shape({"id": string(), "name": string()}),
        "team_id": string(),
        "permissions": array(_permission, description="what the caller may do with this note"),
        "shared_with": array(shape({"user_id": string(), "name": string(), "permission": _permission})),
        "created_at": time(),
        "updated_at": time(),
        "deleted_at": time(description="Only in the bin"),
    },
    optional=["shared_with", "deleted_at"],
)
NOTES = listing(NOTE)
_version = {"version": integer(1), "title": string(), "created_at": time(), "created_by": string()}
VERSIONS = listing(shape(_version))
VERSION = shape({**_version, "body": string(), "tags": array(string())})

DELETED = enum("0", "1", default="0", description="1: the bin, what was deleted last first")
SORT = enum(*SORTS, default="created", description="created and updated: the newest first; title: from A on")
TAG = string(min_length=1, max_length=MAX_TAG, description="Only notes with this tag, without case")
AUTOSAVE = enum(
    "0",
    "1",
    default="0",
    description="1: saved while somebody types; what its writer autosaves within ten minutes is one version",
)
_person = {"user_id": string(), "name": string()}
EDITORS = listing(shape(_person))
FOREVER = enum("0", "1", default="0", description="1: for good, of what lies in the bin")


ROUTES = (
    Route(
        "POST",
        "/api/notes",
        "create_note",
        "Create a note, private unless told otherwise.",
        permission="notes:write",
        body=CREATE,
        reply=NOTE,
        status=201,
        max_body=MAX_BODY,
    ),
    Route(
        "GET",
        "/api/notes",
        "list_notes",
        "The notes that the caller can read, newest first; scope=org spans the company, deleted=1 the bin.",
        permission="notes:read",
        query={
            **PAGE_QUERY,
            "scope": SCOPE,
            "sort": SORT,
            "tag": TAG,
            "deleted": DELETED,
        },
        reply=NOTES,
    ),
    Route(
        "GET",
        "/api/notes/:id",
        "read_note",
        "One note.",
        permission="notes:read",
        query={"scope": SCOPE},
        reply=NOTE,
        resource_decides=True,
    ),
    Route(
        "PUT",
        "/api/notes/:id",
        "update_note",
        "Change a note; fields that are left out stay as they are.",
        permission="notes:write",
        query={"autosave": AUTOSAVE},
        body=UPDATE,
        reply=NOTE,
        max_body=MAX_BODY,
        resource_decides=True,
    ),
    Route(
        "DELETE",
        "/api/notes/:id",
        "delete_note",
        "Delete a note: it lies in the bin for 30 days. forever=1 takes it out of there for good.",
        permission="notes:delete",
        query={"forever": FOREVER},
        status=204,
        resource_decides=True,
    ),
    Route(
        "POST",
        "/api/notes/:id/restore",
        "restore_note",
        "Take a note out of the bin.",
        permission="notes:delete",
        reply=NOTE,
        resource_decides=True,
    ),
    Route(
        "GET",
        "/api/notes/:id/versions",
        "list_note_versions",
        "The versions of a note, the one that it has now first.",
        permission="notes:read",
        query=PAGE_QUERY,
        reply=VERSIONS,
        resource_decides=True,
    ),
    Route(
        "GET",
        "/api/notes/:id/versions/:number",
        "read_note_version",
        "One version of a note, with its text.",
        permission="notes:read",
        reply=VERSION,
        resource_decides=True,
    ),
    Route(
        "POST",
        "/api/notes/:id/versions/:number/restore",
        "restore_note_version",
        "Give a note the title, text and tags of an older version, as a new one.",
        permission="notes:write",
        reply=NOTE,
        resource_decides=True,
    ),
    Route(
        "POST",
        "/api/notes/:id/share",
        "share_note",
        "Share a note with somebody of the company; a second time changes what they may do.",
        permission="notes:manage",
        body=SHARE,
        reply=NOTE,
        resource_decides=True,
    ),
    Route(
        "DELETE",
        "/api/notes/:id/share",
        "unshare_note",
        "End a share.",
        permission="notes:manage",
        body=UNSHARE,
        status=204,
        resource_decides=True,
    ),
    Route(
        "GET",
        "/api/notes/:id/editing",
        "list_note_editors",
        "The others who write in a note just now.",
        permission="notes:read",
        query={"scope": SCOPE},
        reply=EDITORS,
        resource_decides=True,
    ),
    Route(
        "POST",
        "/api/notes/:id/editing",
        "begin_editing_note",
        "Say that one writes in a note, for 25 seconds; answers with the others who do.",
        permission="notes:write",
        reply=EDITORS,
        resource_decides=True,
    ),
    Route(
        "DELETE",
        "/api/notes/:id/editing",
        "stop_editing_note",
        "Say that one writes in a note no more.",
        permission="notes:write",
        status=204,
        resource_decides=True,
    ),
)


async def make_note(client: SampleClient, canary: str) -> str:
    note = {"title": canary, "body": canary, "visibility": "team"}
    _, answer = await client.call("POST", "/api/notes", note)
    return str(answer["id"])


async def make_version(_client: SampleClient, _canary: str) -> str:
    return "1"


FACTORIES = (
    Factory("/api/notes/:id", make_note),
    Factory("/api/notes/:id/versions/:number", make_version, tenant=False),
)
