"""The rows of notifications, and what they take and answer."""

from typing import get_args

from builtin_plugins.notifications.service import LIST
from guildhall_sdk import PAGE_QUERY, Route
from guildhall_sdk.replies import EVENT_STREAM
from guildhall_sdk.schema import array, boolean, enum, integer, listing, nullable, obj, shape, string, time
from guildhall_sdk.services.notifications import MailChoice

MAX_IDS = 200
MAX_KINDS = 200

NOTIFICATION = shape(
    {
        "id": string(),
        "kind": string(description="Such as notes.shared"),
        "text": string(description="What happened, in the caller's language"),
        "params": {"type": "object", "description": "What the text is made of"},
        "link": string(description="Where it leads in the console"),
        "team": nullable(shape({"id": string(), "name": string()}, description="The team to open it in")),
        "created_at": time(),
        "read_at": nullable(time()),
    }
)
UNREAD = integer(0, description="How many the caller has not read")
_mail = enum(*get_args(MailChoice), description="When a mail says so")
_push = boolean(description="Whether the browser says so on this person's device")
_choice = {"mail": _mail, "push": _push}
SETTINGS = {
    "type": "object",
    "additionalProperties": shape(_choice),
    "description": "What holds for each kind",
}
CHOOSE = {
    "type": "object",
    "propertyNames": {"maxLength": 129},
    "maxProperties": MAX_KINDS,
    "additionalProperties": obj(_choice),
    "examples": [{"notes.shared": {"mail": "at_once", "push": False}}],
}
READ = obj(
    {
        "ids": array(string(min_length=1, max_length=64), minItems=1, maxItems=MAX_IDS),
        "all": boolean(description="true in place of ids: all of them"),
    },
    example={"all": True},
)

ROUTES = (
    Route(
        "GET",
        LIST,
        "list_notifications",
        "What the caller was told, newest first",
        query={
            **PAGE_QUERY,
            "unread": enum("0", "1", default="0", description="1: only those that are not read"),
        },
        reply=listing(NOTIFICATION, unread=UNREAD),
    ),
    Route(
        "POST",
        f"{LIST}/read",
        "read_notifications",
        "Mark notifications of the caller as read: some by id, or all",
        body=READ,
        reply=shape({"unread": UNREAD}),
    ),
    Route(
        "GET",
        f"{LIST}/events",
        "follow_notifications",
        "New notifications as server-sent events, from Last-Event-ID on, and how many are unread.",
        content_type=EVENT_STREAM,
    ),
    Route(
        "GET",
        "/api/notification-kinds",
        "list_kinds",
        "What people are told of here, by every plugin",
        reply=listing(
            shape(
                {
                    "name": string(),
                    "plugin": string(),
                    "title": string(description="In the caller's language"),
                    **_choice,
                },
                description="`mail` and `push` hold until a person chooses otherwise",
            )
        ),
    ),
    Route(
        "GET",
        "/api/notification-settings",
        "get_settings",
        "Of what the caller hears by mail and on their device",
        reply=SETTINGS,
    ),
    Route(
        "PUT",
        "/api/notification-settings",
        "put_settings",
        "Choose for some kinds; those that are left out stay as they are",
        body=CHOOSE,
        reply=SETTINGS,
    ),
)
