"""The rows of mail, and what they take and answer."""

from guildhall_sdk import PAGE_QUERY, Auth, Route
from guildhall_sdk.routes import Body
from guildhall_sdk.schema import boolean, enum, integer, listing, nullable, obj, shape, string, time
from libs.names import USERNAME_MAX
from libs.names.emails import EMAIL_MAX

STATES = ("waiting", "sent", "refused", "failed", "expired", "held_back")

FORGOT = obj(
    {
        "username": string(min_length=1, max_length=USERNAME_MAX),
        "email": string(min_length=3, max_length=EMAIL_MAX),
    },
    example={"username": "ada"},
)
_MAIL = shape(
    {
        "id": string(),
        "name": string(description="What it is, such as companies.reset"),
        "to": string(),
        "org": nullable(shape({"id": string(), "name": string()})),
        "user": nullable(shape({"id": string(), "username": string()})),
        "state": enum(*STATES, description="refused: the address does not take it; held_back: too many"),
        "attempts": integer(0),
        "error": nullable(string(description="Why it is not sent")),
        "next_attempt_at": nullable(time()),
        "created_at": time(),
        "ended_at": nullable(time()),
    }
)
_TOKEN = {"token": string(min_length=1, max_length=2048, description="From the mail")}

ROUTES = (
    Route(
        "POST",
        "/api/password/forgot",
        "forgot_password",
        "Mail a link to set the password anew, to whoever has this username or address. The answer is the "
        "same where there is nobody.",
        Auth.PUBLIC,
        body=FORGOT,
        reply=shape({}),
        status=202,
        limit=20,
        while_suspended=True,
    ),
    Route(
        "GET",
        "/api/mail/unsubscribe",
        "show_unsubscribe",
        "A page that ends mails of one kind by one click",
        Auth.PUBLIC,
        query=_TOKEN,
        content_type="text/html",
    ),
    Route(
        "POST",
        "/api/mail/unsubscribe",
        "unsubscribe",
        "End mails of one kind to the person whom the mail was for (RFC 8058)",
        Auth.PUBLIC,
        query=_TOKEN,
        body_kind=Body.WHOLE,
        content_type="text/html",
        while_suspended=True,
    ),
    Route(
        "GET",
        "/api/admin/mails",
        "list_mails",
        "What was mailed, newest first, and why not; never what a mail says",
        permission="instance:manage",
        query={**PAGE_QUERY, "state": enum(*STATES)},
        reply=listing(
            _MAIL,
            is_set_up=boolean(description="Whether SERVICE_MAIL_URL names a server"),
            sender=string(description="Whom mail is from"),
        ),
    ),
)
