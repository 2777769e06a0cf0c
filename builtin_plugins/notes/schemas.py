"""Bodies that come in and answers that go out."""

from builtin_plugins.notes.note import ALL
from guildhall_sdk.schema import array, enum, listing, obj, shape, string, time

MAX_CHARACTERS = 1_000_000
# Room for a text of that length in any script, and for some escapes.
MAX_BODY = 8 * 1024 * 1024

_visibility = enum("private", "team", description="private: the owner and whom they share it with")
_fields = {
    "title": string(min_length=1, max_length=300),
    "body": string(max_length=MAX_CHARACTERS),
    "visibility": _visibility,
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
        "visibility": _visibility,
        "owner": shape({"id": string(), "name": string()}),
        "team_id": string(),
        "permissions": array(_permission, description="what the caller may do with this note"),
        "shared_with": array(shape({"user_id": string(), "name": string(), "permission": _permission})),
        "created_at": time(),
        "updated_at": time(),
    },
    optional=["shared_with"],
)
NOTES = listing(NOTE)
