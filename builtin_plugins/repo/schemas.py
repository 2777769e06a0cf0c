"""Bodies that come in and answers that go out."""

from builtin_plugins.repo.documents import MAX_CHARACTERS
from builtin_plugins.repo.thumbnails import SIZES
from guildhall_sdk import PAGE_QUERY
from guildhall_sdk.schema import (
    anything,
    array,
    boolean,
    enum,
    integer,
    listing,
    nullable,
    number,
    obj,
    shape,
    string,
    time,
)
from guildhall_sdk.services.stored_objects import MAX_DAYS, MAX_KEPT, MAX_RULES

# Room for a text of the longest kind in any script, and for some escapes.
MAX_DOCUMENT_BODY = 8 * 1024 * 1024
MAX_UPLOAD = 5 * 1024**3

_id = string(min_length=1, max_length=64)
_visibility = enum(
    "private",
    "shared",
    "team",
    description="private: the owner alone; shared: also whom it was granted to; team: also the team",
)
_principal_type = enum("user", "team")
_capability = enum("view", "edit", "manage")
_text_status = enum("none", "pending", "indexed", "stale", "unsupported")

SCOPE = enum("team", "org", default="team", description="org: what is visible to any team of the company")
SHARED = enum("0", "1", default="0", description="1: only what others granted to the caller")
PREFIX = string(max_length=1024, default="", description="Only keys that begin with this")
DELIMITER = enum("/", description="/: what lies right below the prefix, and beside it the folders there")
DELETED = enum("0", "1", default="0", description="1: what was deleted and can be brought back")
VERSION = integer(1, description="The number of an older version")
THUMBNAIL_SIZE = enum(*map(str, SIZES), default="256", description="The longest side is at most so long")
DELETE_QUERY = {
    "keep": enum("0", "1", default="0", description="1: it can be brought back, and still counts as storage")
}
LIST_QUERY = {
    "limit": PAGE_QUERY["limit"],
    "cursor": string(max_length=2048, description="`next_cursor` of the page before"),
    "prefix": PREFIX,
    "delimiter": DELIMITER,
    "shared": SHARED,
    "deleted": DELETED,
    "scope": SCOPE,
    "sort": enum("name", "size", "updated", default="name", description="name: the key, byte by byte"),
    "order": enum("asc", "desc", default="asc"),
}
UPLOAD_QUERY = {
    "filename": string(min_length=1, max_length=255, description="What a download is called"),
    "visibility": _visibility,
}
DIFF_QUERY = {
    "from": integer(1, description="The older version; the one before `to` unless told"),
    "to": integer(1, description="The newer version; the newest unless told"),
}

_version = shape(
    {
        "version": integer(),
        "size": integer(),
        "sha256": string(),
        "content_type": string(),
        "created_at": time(),
        "created_by": string(),
    }
)
_object = {
    "id": string(),
    "key": string(),
    "filename": string(),
    "content_type": string(),
    "size": integer(),
    "sha256": string(),
    "visibility": _visibility,
    "owner": shape({"id": string(), "name": string()}),
    "team_id": string(),
    "version": integer(),
    "versions": array(_version),
    "text_status": _text_status,
    "created_at": time(),
    "updated_at": time(),
    "permissions": array(string(), description="What the caller may do with it"),
}
OBJECT = shape(_object)
OBJECTS = listing(OBJECT, folders=array(string(description="A prefix that ends with a slash")))
RESTORE = obj(
    {"version": integer(1, description="Which one becomes the newest again; without it, what was deleted")},
    example={"version": 1},
)

PLAYBACK = obj({"version": VERSION}, example={"version": 1})
PLAYBACK_PATH = shape({"path": string(), "expires_at": time()})

MOVE = obj(
    {"key": string(description="Where it goes: a key of the same bucket that nothing has")},
    required=["key"],
    example={"key": "archive/2026/report.pdf"},
)
_prefix = string(min_length=1, max_length=1024, description="A prefix of keys that ends with a slash")
MOVE_PREFIX = obj(
    {"from": _prefix, "to": _prefix},
    required=["from", "to"],
    example={"from": "inbox/2026/", "to": "archive/2026/"},
)
JOB = shape(
    {
        "id": string(),
        "kind": string(),
        "state": enum("queued", "running", "succeeded", "failed", "cancelled"),
        "payload": MOVE_PREFIX,
        "result": nullable(anything()),
        "error": nullable(anything()),
        "attempt": integer(0),
        "max_attempts": integer(1),
        "progress": nullable(number(minimum=0, maximum=1)),
        "executor": nullable(string()),
        "team_id": string(),
        "user_id": string(),
        "created_at": time(),
        "started_at": nullable(time()),
        "finished_at": nullable(time()),
    },
    description="Its result, in GET /api/jobs/:id, is {from, to, moved, left, skipped: [{id, key, code}]}",
)

_document = {
    "title": string(min_length=1, max_length=300),
    "body": string(max_length=MAX_CHARACTERS),
    "visibility": _visibility,
}
CREATE_DOCUMENT = obj(
    _document,
    required=["title"],
    example={"title": "Handbook", "body": "# Handbook\n\nBe kind.\n", "visibility": "team"},
)
UPDATE_DOCUMENT = obj(_document, example={"body": "# Handbook\n\nBe kind, and write it down.\n"})
DOCUMENT = shape({**_object, "title": string(), "body": string()})
DOCUMENTS = listing(shape({**_object, "title": string()}))

_holder = {"principal_type": _principal_type, "principal_id": _id, "user_id": _id}
SHARE = obj(
    {**_holder, "capability": _capability, "expires_at": nullable(string(max_length=40))},
    example={"principal_type": "user", "principal_id": "usr_0123456789", "capability": "view"},
    description="{user_id} alone means view",
)
UNSHARE = obj(_holder, example={"principal_type": "user", "principal_id": "usr_0123456789"})
GRANTS = listing(
    shape(
        {
            "principal_type": _principal_type,
            "principal_id": string(),
            "name": string(),
            "capability": _capability,
            "permissions": array(string()),
            "granted_by": string(),
            "granted_by_name": string(),
            "granted_at": time(),
            "expires_at": nullable(time()),
            "expired": boolean(),
        }
    )
)
SET_VISIBILITY = obj({"visibility": _visibility}, required=["visibility"], example={"visibility": "shared"})
TARGETS = shape(
    {
        "users": array(shape({"id": string(), "username": string(), "display_name": string()})),
        "teams": array(shape({"id": string(), "name": string()})),
    }
)

_derivation = shape(
    {
        "object_id": string(),
        "key": string(),
        "version": integer(),
        "run_id": nullable(string()),
        "step": nullable(string()),
    }
)
DERIVATIONS = shape({"sources": array(_derivation), "derived": array(_derivation)})
_run = shape({"id": string(), "workflow": shape({}), "state": string(), "created_at": time()})
PROCESSING = shape({"sources": array(_derivation), "derived": array(_derivation), "runs": array(_run)})

TEXT = shape(
    {
        "status": _text_status,
        "text": nullable(string(description="null unless the status is indexed")),
        "version": integer(description="The number of the newest version"),
    }
)

DIFF = shape(
    {
        "from": integer(),
        "to": integer(),
        "diff": string(),
        "added": integer(),
        "removed": integer(),
        "truncated": boolean(),
    }
)

_rule = {
    "id": string(min_length=1, max_length=255, description="A name of your own, one for each rule"),
    "enabled": boolean(),
    "prefix": string(max_length=1024, description="Only keys that begin with this"),
    "old_version_days": nullable(
        integer(1, MAX_DAYS, description="Old versions go so many days after a newer one came; null never")
    ),
    "keep_old_versions": integer(
        0, MAX_KEPT, description="But for so many of the newest old ones of each object"
    ),
    "empty_markers": boolean(description="Delete markers that hide nothing any more go"),
    "deleted_days": nullable(
        integer(1, MAX_DAYS, description="What was deleted goes for good so many days later; null never")
    ),
}
SET_LIFECYCLE = obj(
    {"rules": array(obj(_rule, required=["id"]), maxItems=MAX_RULES)},
    required=["rules"],
    example={
        "rules": [
            {"id": "old", "old_version_days": 30, "keep_old_versions": 5, "empty_markers": True},
            {"id": "bin", "deleted_days": 30},
        ]
    },
)
LIFECYCLE = shape(
    {
        "rules": array(shape(_rule)),
        "holds_from": nullable(time(description="null without rules")),
        "preview": shape(
            {
                "versions": integer(description="Old versions that would go now"),
                "markers": integer(),
                "deleted_objects": integer(description="Deleted objects, with all their versions"),
                "bytes": integer(),
                "complete": boolean(description="false: there is more than was looked at"),
            }
        ),
        "thrown_away": shape({"versions": integer(), "bytes": integer()}),
    }
)
