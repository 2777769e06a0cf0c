"""HTTP in and out."""

import html
import json
from typing import Any

from builtin_plugins.mail.mailbox import PREFIX, StoredMailer, sql
from builtin_plugins.mail.resets import note_request
from builtin_plugins.mail.settings import MAIL_FROM, MAIL_URL, sender_of
from builtin_plugins.mail.writing import UNSUBSCRIBE
from guildhall_sdk import (
    Actor,
    Call,
    InvalidRequest,
    Reply,
    Row,
    UserError,
    cut_page,
    page,
    page_bounds,
    rfc3339,
    rfc3339_or_none,
)
from guildhall_sdk.replies import accepted
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.localization import Localization
from guildhall_sdk.services.notifications import Notifications

_PAGE = (
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">'
    "<title>{text}</title></head><body><main><p>{text}</p>{form}</main></body></html>"
)
_FORM = '<form method="post"><button>{action}</button></form>'
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


async def forgot_password(call: Call) -> Reply:
    """Answers before anybody is looked up."""
    body = call.body
    if ("username" in body) == ("email" in body):
        raise InvalidRequest.at("/username", "give one of username and email")
    if call.setting(MAIL_URL) is not None:
        async with call.write(Actor("unknown", request_id=call.request_id)) as writer:
            await note_request(writer, call.host, dict(body))
            writer.after_commit(call.service(StoredMailer).wake)
    return accepted({})


def _unsealed(call: Call) -> tuple[str, str, str, str]:
    text = call.service(Vault).unseal(UNSUBSCRIBE, call.query.get("token", ""))
    if text is None:
        raise UserError("This link is not one that a mail of this place has; open it as it stands there.")
    org_id, user_id, kind, locale = json.loads(text)
    return org_id, user_id, kind, locale


async def show_unsubscribe(call: Call) -> Reply:
    """Asks first: programs that look at mails open every link."""
    *_, locale = _unsealed(call)
    return await _page(call, locale, "mail.unsubscribe_question", "mail.unsubscribe")


async def unsubscribe(call: Call) -> Reply:
    org_id, user_id, kind, locale = _unsealed(call)
    notifications = call.host.find_service(Notifications)
    async with call.write(Actor("unknown", request_id=call.request_id)) as writer:
        if notifications is not None:
            await notifications.stop_mail(writer, org_id, user_id, kind)
    return await _page(call, locale, "mail.unsubscribed")


async def _page(call: Call, locale: str, text: str, action: str | None = None) -> Reply:
    messages = await call.service(Localization).messages(locale, "mail")
    form = "" if action is None else _FORM.format(action=html.escape(messages.get(action, action)))
    content = _PAGE.format(
        language=html.escape(locale), text=html.escape(messages.get(text, text)), form=form
    )
    return Reply(content=content.encode(), content_type="text/html; charset=utf-8", headers=_HEADERS)


async def list_mails(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    binds = {"before": before or f"{PREFIX}_~", "state": call.query.get("state"), "limit": fetched}
    async with call.read() as reader:
        rows = await reader.all(sql.page, **binds)
    visible, cursor = cut_page(rows, fetched, lambda row: str(row["id"]))
    beside = {
        "is_set_up": call.setting(MAIL_URL) is not None,
        "sender": sender_of(call.setting(MAIL_FROM), call.host.settings.base_url),
    }
    return page([_public(row) for row in visible], cursor, **beside)


def _public(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "name": row["name"],
        "to": row["address"],
        "org": None if row["org_name"] is None else {"id": row["org_id"], "name": row["org_name"]},
        "user": None if row["username"] is None else {"id": row["user_id"], "username": row["username"]},
        "state": row["state"],
        "attempts": row["attempts"],
        "error": row["error"],
        "next_attempt_at": rfc3339_or_none(row["due_at"]),
        "created_at": rfc3339(row["created_at"]),
        "ended_at": rfc3339_or_none(row["ended_at"]),
    }


HANDLERS = {
    handler.__name__: handler for handler in (forgot_password, show_unsubscribe, unsubscribe, list_mails)
}
