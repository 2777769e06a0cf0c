"""Bodies that come in and answers that go out."""

from builtin_plugins.notes.note import ALL
from guildhall_sdk.schema import array, enum, integer, listing, obj, shape, string, time

SORTS = ("updated", "created", "title")
MAX_CHARACTERS = 1_000_000
# Room for a text of that length in any script, and for some escapes.
MAX_BODY = 8 * 1024 * 1024
MAX_TAGS, MAX_TAG = 20, 40

_visibility = enum("private", "team", description="private: the owner and whom they share it with")
_fields = {
    "title": string(min_length=1, max_length=300),
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
FOREVER = enum("0", "1", default="0", description="1: for good, of what lies in the bin")
